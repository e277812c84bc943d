/** A clock that stands still until a test moves it, so that no test waits for time to pass. */

import type { CancelTimer, Clock } from "../src/async/clock.ts";
import { within } from "./_wait.ts";

interface Timer {
  readonly at: number;
  readonly ms: number;
  readonly act: () => void;
  /** It does not keep the process alive. */
  readonly unref: boolean;
}

interface Waiter {
  readonly ms: number | undefined;
  readonly resolve: () => void;
}

export class FakeClock implements Clock {
  #now = Date.UTC(2026, 0, 1);
  readonly #timers = new Set<Timer>();
  readonly #waiters = new Set<Waiter>();

  now(): number {
    return this.#now;
  }

  after(ms: number, act: () => void, { unref = false } = {}): CancelTimer {
    const timer = { at: this.#now + Math.max(0, ms), ms, act, unref };
    this.#timers.add(timer);
    for (const waiter of this.#waiters) {
      if (waiter.ms !== undefined && waiter.ms !== ms) continue;
      this.#waiters.delete(waiter);
      waiter.resolve();
    }
    return () => void this.#timers.delete(timer);
  }

  /** The milliseconds of the timers that are set, the next to fire first. */
  get timers(): number[] {
    return this.#inOrder().map(({ at }) => at - this.#now);
  }

  /** True while a timer keeps the process alive. */
  get isHeld(): boolean {
    return this.#inOrder().some(({ unref }) => !unref);
  }

  /** Resolves when a timer is set; `ms` says of which length. A timer that is already set counts. */
  async timer(ms?: number): Promise<void> {
    if ([...this.#timers].some((timer) => ms === undefined || timer.ms === ms)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiters.add({ ms, resolve });
    // Keeps the process alive too: Deno 2.9.6 may end it while a file is looked at, on a machine with much to do
    await within(promise, `a timer of ${ms ?? "any number of"} ms`);
  }

  /** Lets `ms` milliseconds pass: fires the timers that are due, in order, each with the promises that it settles. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      const [next] = this.#inOrder();
      if (next === undefined || next.at > end) break;
      this.#timers.delete(next);
      this.#now = next.at;
      next.act();
      await settle();
    }
    this.#now = end;
    await settle();
  }

  #inOrder(): Timer[] {
    return [...this.#timers].toSorted((one, other) => one.at - other.at);
  }
}

/** Resolves when the promises that can settle without an event from outside have settled. */
export async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
