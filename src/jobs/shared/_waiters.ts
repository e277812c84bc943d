/** Waits for the end of jobs at other instances, which send a message then; it also looks, as a message may be lost. */

import type { Clock } from "../../async/clock.ts";
import { deadline } from "../../async/deadline.ts";
import type { SharedStore } from "../../state/store.ts";

/** Milliseconds between two looks without a message. */
const lookMs = 2000;

const endChannel = "ended";

interface Wait<T> {
  readonly look: () => Promise<T>;
  readonly isOver: (now: T) => boolean;
  readonly ms: number;
  readonly signal: AbortSignal | undefined;
}

export class Waiters {
  readonly #store: SharedStore;
  readonly #clock: Clock;
  readonly #waiting = new Map<string, Set<() => void>>();
  #stopListening: Promise<() => Promise<void>> | undefined;

  constructor(store: SharedStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Resolves to the result of `look` when the wait is over, after at most `ms` milliseconds. */
  async wait<T>(id: string, { look, isOver, ms, signal }: Wait<T>): Promise<T> {
    const until = this.#clock.now() + ms;
    // If it cannot listen, it still looks at intervals
    this.#stopListening ??= this.#store.listen(endChannel, (ended) => this.#wake(ended));
    await deadline(this.#stopListening.catch(() => {}), lookMs, signal, this.#clock);
    for (;;) {
      const { woken, leave } = this.#enter(id);
      try {
        const now = await look();
        const restMs = until - this.#clock.now();
        if (isOver(now) || restMs <= 0 || signal?.aborted) return now;
        await deadline(woken, Math.min(lookMs, restMs), signal, this.#clock);
      } finally {
        leave();
      }
    }
  }

  async wake(id: string): Promise<void> {
    await this.#store.publish(endChannel, id).catch(() => {});
  }

  close(): void {
    for (const id of this.#waiting.keys()) this.#wake(id);
    void this.#stopListening?.then((stop) => stop()).catch(() => {});
  }

  #enter(id: string): { readonly woken: Promise<void>; readonly leave: () => void } {
    const { promise: woken, resolve } = Promise.withResolvers<void>();
    const all = this.#waiting.getOrInsertComputed(id, () => new Set()).add(resolve);
    const leave = () => {
      if (all.delete(resolve) && all.size === 0) this.#waiting.delete(id);
    };
    return { woken, leave };
  }

  #wake(id: string): void {
    for (const resolve of this.#waiting.get(id) ?? []) resolve();
  }
}
