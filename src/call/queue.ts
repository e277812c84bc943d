/** How many programs run at once; the others wait in the order they came. */

/** Gives back a place in a queue. */
export type Release = () => void;

/** Why there is no place: the caller does not want it any more, or too many are waiting. */
export type NoPlace = "cancelled" | "full";

/** Callers that may wait, so that a flood of requests is bounded in memory too. */
const maxWaiting = 10_000;

/** A fixed number of places, handed out in the order they were asked for. */
export class RunQueue {
  #free: number;
  /** In order of arrival; a caller that gives up is taken out. */
  readonly #waiting = new Set<() => void>();

  /** A queue of `places`, at least one. */
  constructor(places: number) {
    this.#free = Math.max(1, places);
  }

  /** Waits for a place. */
  async acquire(signal?: AbortSignal): Promise<Release | NoPlace> {
    if (signal?.aborted) return "cancelled";
    if (this.#free > 0) {
      this.#free--;
      return this.#release();
    }
    if (this.#waiting.size >= maxWaiting) return "full";

    const turn = Promise.withResolvers<Release | NoPlace>();
    const onTurn = () => turn.resolve(this.#release());
    const onAbort = () => {
      if (this.#waiting.delete(onTurn)) turn.resolve("cancelled");
    };
    this.#waiting.add(onTurn);
    signal?.addEventListener("abort", onAbort, { once: true });
    const outcome = await turn.promise;
    signal?.removeEventListener("abort", onAbort);
    return outcome;
  }

  /** The right to give back one place, once. */
  #release(): Release {
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const [next] = this.#waiting;
      if (next === undefined) {
        this.#free++;
      } else {
        this.#waiting.delete(next);
        next();
      }
    };
  }
}
