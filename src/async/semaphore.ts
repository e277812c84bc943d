/**
 * How many programs run at once; the others wait. Of clients that are told apart none has more than its
 * share, and the one that has fewest goes first: nobody fills a queue for everybody.
 */

import { shareOf } from "./fair_share.ts";

/** Gives back a place in a queue. */
export type Release = () => void;

/** Why there is no place: the caller does not want it any more, or too many are waiting. */
export type AcquireFailure = "cancelled" | "full";

/** Callers that may wait, so that a flood of requests is bounded in memory too. */
const maxWaiting = 10_000;

/** Who asks for a place. */
export interface Waiter {
  readonly signal?: AbortSignal | undefined;
  /** Absent: whoever asks is not told apart, and may have every place. */
  readonly owner?: string | undefined;
}

/** One owner's places, and those who wait for one, in order of arrival. */
interface OwnerQueue {
  held: number;
  /** When one of them got a place last, as a number that grows. */
  served: number;
  /** With the number of its arrival. */
  readonly waiting: Map<() => void, number>;
}

/** A fixed number of places. */
export class FairSemaphore {
  readonly #places: number;
  #free: number;
  /** Of those who have a place or wait for one. */
  readonly #lines = new Map<string | undefined, OwnerQueue>();
  #waiting = 0;
  #count = 0;

  /** A queue of `places`, at least one. */
  constructor(places: number) {
    this.#places = Math.max(1, places);
    this.#free = this.#places;
  }

  /** Places that `owner` has. */
  heldBy(owner: string | undefined): number {
    return this.#lines.get(owner)?.held ?? 0;
  }

  /** Places that `owner` may have. */
  shareOf(owner: string | undefined): number {
    return owner === undefined ? this.#places : shareOf(this.#places);
  }

  /** Waits for a place. */
  async acquire({ signal, owner }: Waiter = {}): Promise<Release | AcquireFailure> {
    if (signal?.aborted) return "cancelled";
    const line = this.#lines.get(owner) ?? { held: 0, served: -1, waiting: new Map() };
    this.#lines.set(owner, line);
    // Where a place is free, whoever waits has its share
    if (this.#free > 0 && line.held < this.shareOf(owner)) return this.#take(owner, line);
    if (this.#waiting >= maxWaiting) {
      this.#leave(owner, line);
      return "full";
    }

    const turn = Promise.withResolvers<Release | AcquireFailure>();
    const onTurn = () => turn.resolve(this.#take(owner, line));
    const onAbort = () => {
      if (!line.waiting.delete(onTurn)) return;
      this.#waiting--;
      this.#leave(owner, line);
      turn.resolve("cancelled");
    };
    line.waiting.set(onTurn, this.#count++);
    this.#waiting++;
    signal?.addEventListener("abort", onAbort, { once: true });
    const outcome = await turn.promise;
    signal?.removeEventListener("abort", onAbort);
    return outcome;
  }

  /** The right to give back one place, once. */
  #take(owner: string | undefined, line: OwnerQueue): Release {
    this.#free--;
    line.held++;
    line.served = this.#count++;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#free++;
      line.held--;
      this.#leave(owner, line);
      this.#next();
    };
  }

  #leave(owner: string | undefined, { held, waiting }: OwnerQueue): void {
    if (held === 0 && waiting.size === 0) this.#lines.delete(owner);
  }

  /** Gives a place that is free to whoever has fewest; of them, to the one who got none for longest. */
  #next(): void {
    const lines = this.#lines.entries().filter(([owner, { held, waiting }]) => {
      return waiting.size > 0 && held < this.shareOf(owner);
    });
    const [line] = lines.map(([, line]) => line).toArray().toSorted((one, other) => {
      return one.held - other.held || one.served - other.served ||
        arrivalOf(one) - arrivalOf(other);
    });
    if (line === undefined) return;
    const [onTurn] = line.waiting.keys();
    line.waiting.delete(onTurn!);
    this.#waiting--;
    onTurn!();
  }
}

/** When the first came who waits. */
function arrivalOf({ waiting }: OwnerQueue): number {
  const [first = 0] = waiting.values();
  return first;
}
