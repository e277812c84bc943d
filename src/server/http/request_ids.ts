/** The ids of unfinished requests. The SDK's transport finds the stream of an answer by them, so none may be there twice. */

/** The id of an unfinished request; of any other message none is held. */
export class HeldId {
  readonly id: unknown;
  readonly #held: Map<unknown, HeldId>;

  constructor(id: unknown, held: Map<unknown, HeldId>) {
    this.id = id;
    this.#held = held;
  }

  /** False once the request has its answer. */
  get isHeld(): boolean {
    return this.#held.get(this.id) === this;
  }

  /** Lets a later request have the id. */
  release(): void {
    if (this.isHeld) this.#held.delete(this.id);
  }
}

/** Those of one session, or of one request without a session. */
export class RequestIds {
  /** By value and type: `1` and `"1"` are two ids. */
  readonly #held = new Map<unknown, HeldId>();

  /** Holds the id of the request `body`; returns nothing if it is held already. */
  hold(body: unknown): HeldId | undefined {
    const { id, method } = (body ?? {}) as { id?: unknown; method?: unknown };
    const held = new HeldId(id, this.#held);
    if (id === undefined || method === undefined) return held;
    if (this.#held.has(id)) return undefined;
    this.#held.set(id, held);
    return held;
  }

  /** The answer to the request `id` is sent now. */
  onAnswer(id: unknown): void {
    this.#held.delete(id);
  }
}
