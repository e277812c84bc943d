/** The ids of unfinished requests. The SDK's transport finds the stream of an answer by them, so none may be there twice. */

/** The requests of one body. The SDK forgets their ids together. */
export class RequestGroup {
  readonly #group: ReadonlySet<unknown>;
  readonly #unanswered: Set<unknown>;
  readonly #held: Map<unknown, RequestGroup>;

  constructor(ids: readonly unknown[], held: Map<unknown, RequestGroup>) {
    this.#group = new Set(ids);
    this.#unanswered = new Set(ids);
    this.#held = held;
    for (const id of ids) held.set(id, this);
  }

  /** The ids; none after {@linkcode release}. */
  get ids(): readonly unknown[] {
    return [...this.#group].filter((id) => this.#held.get(id) === this);
  }

  onAnswer(id: unknown): void {
    this.#unanswered.delete(id);
    if (this.#unanswered.size === 0) this.release();
  }

  /** Lets later requests have the ids. */
  release(): void {
    for (const id of this.ids) this.#held.delete(id);
  }
}

/** Those of one session, or of one request without a session. */
export class RequestIds {
  /** By value and type: `1` and `"1"` are two ids. */
  readonly #held = new Map<unknown, RequestGroup>();

  /** Holds the ids of the requests in `body`; returns nothing if one is held, or there twice. */
  hold(body: unknown): RequestGroup | undefined {
    const ids = [body].flat().flatMap((message) => {
      const { id, method } = (message ?? {}) as { id?: unknown; method?: unknown };
      return id === undefined || method === undefined ? [] : [id];
    });
    if (new Set(ids).size < ids.length || ids.some((id) => this.#held.has(id))) return undefined;
    return new RequestGroup(ids, this.#held);
  }

  /** The answer to the request `id` is sent now. */
  onAnswer(id: unknown): void {
    this.#held.get(id)?.onAnswer(id);
  }
}
