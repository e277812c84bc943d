/** Limits how many calls run at once; the owner with the fewest permits gets the next permit. */

export type Release = () => void;

export type AcquireFailure = "cancelled" | "full";

/** At most this many callers wait, since a flood of requests would fill the memory. */
const maxWaiting = 10_000;

export interface Waiter {
  readonly signal?: AbortSignal | undefined;
  /** Callers without an owner count as one owner, which may have every permit. */
  readonly owner?: string | undefined;
}

interface OwnerQueue {
  permits: number;
  served: number;
  readonly waiting: Map<() => void, number>;
}

export class FairSemaphore {
  readonly #permits: number;
  #free: number;
  readonly #queues = new Map<string | undefined, OwnerQueue>();
  #waiting = 0;
  #count = 0;

  constructor(permits: number) {
    this.#permits = Math.max(1, permits);
    this.#free = this.#permits;
  }

  get waiting(): number {
    return this.#waiting;
  }

  countHeld(owner: string | undefined): number {
    return this.#queues.get(owner)?.permits ?? 0;
  }

  shareOf(owner: string | undefined): number {
    return owner === undefined ? this.#permits : shareOf(this.#permits);
  }

  isFreeFor(owner: string | undefined): boolean {
    return this.#free > 0 && this.countHeld(owner) < this.shareOf(owner);
  }

  async acquire({ signal, owner }: Waiter = {}): Promise<Release | AcquireFailure> {
    if (signal?.aborted) return "cancelled";
    const queue = this.#queues.get(owner) ?? { permits: 0, served: -1, waiting: new Map() };
    this.#queues.set(owner, queue);
    if (this.isFreeFor(owner)) return this.#grant(owner, queue);
    if (this.#waiting >= maxWaiting) {
      this.#removeIdle(owner, queue);
      return "full";
    }

    const permit = Promise.withResolvers<Release | AcquireFailure>();
    const onPermit = () => permit.resolve(this.#grant(owner, queue));
    const onAbort = () => {
      if (!queue.waiting.delete(onPermit)) return;
      this.#waiting--;
      this.#removeIdle(owner, queue);
      permit.resolve("cancelled");
    };
    queue.waiting.set(onPermit, this.#count++);
    this.#waiting++;
    signal?.addEventListener("abort", onAbort, { once: true });
    const outcome = await permit.promise;
    signal?.removeEventListener("abort", onAbort);
    return outcome;
  }

  #grant(owner: string | undefined, queue: OwnerQueue): Release {
    this.#free--;
    queue.permits++;
    queue.served = this.#count++;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#free++;
      queue.permits--;
      this.#removeIdle(owner, queue);
      this.#next();
    };
  }

  #removeIdle(owner: string | undefined, { permits, waiting }: OwnerQueue): void {
    if (permits === 0 && waiting.size === 0) this.#queues.delete(owner);
  }

  /** Gives a free permit to the owner with the fewest permits; of several, to the one whose last permit is oldest. */
  #next(): void {
    if (this.#waiting === 0) return;
    const queues = this.#queues.entries().filter(([owner, { permits, waiting }]) => {
      return waiting.size > 0 && permits < this.shareOf(owner);
    });
    const arrivalOf = ({ waiting }: OwnerQueue) => waiting.values().next().value ?? 0;
    const [queue] = queues.map(([, queue]) => queue).toArray().toSorted((one, other) => {
      return one.permits - other.permits || one.served - other.served ||
        arrivalOf(one) - arrivalOf(other);
    });
    if (queue === undefined) return;
    const [onPermit] = queue.waiting.keys();
    queue.waiting.delete(onPermit!);
    this.#waiting--;
    onPermit!();
  }
}

export async function acquireAll(
  semaphores: readonly FairSemaphore[],
  waiter: Waiter,
): Promise<{ readonly release: Release; readonly hasWaited: boolean } | AcquireFailure> {
  const permits: Release[] = [];
  const release = () => permits.toReversed().forEach((permit) => permit());
  let hasWaited = false;
  for (const semaphore of semaphores) {
    hasWaited ||= !semaphore.isFreeFor(waiter.owner);
    const permit = await semaphore.acquire(waiter);
    if (typeof permit === "string") {
      release();
      return permit;
    }
    permits.push(permit);
  }
  return { release, hasWaited };
}

export function shareOf(all: number): number {
  return Math.ceil(all / 2);
}

export function countHeld<Item extends { readonly owner: string }>(
  items: Iterable<Item>,
  sizeOf: (item: Item) => number = () => 1,
): Map<string, number> {
  const held = new Map<string, number>();
  for (const item of items) held.set(item.owner, (held.get(item.owner) ?? 0) + sizeOf(item));
  return held;
}

export function oldestOfLargest<Item extends { readonly owner: string }>(
  items: Iterable<Item>,
  held: ReadonlyMap<string, number>,
): Item | undefined {
  let [found, most]: [Item | undefined, number] = [undefined, -1];
  for (const item of items) {
    const size = held.get(item.owner) ?? 0;
    if (size > most) [found, most] = [item, size];
  }
  return found;
}
