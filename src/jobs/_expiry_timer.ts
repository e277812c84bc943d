/** Evicts expired entries on a timer, without a request. */

import type { CancelTimer, Clock } from "../async/clock.ts";

/** One timer. It does not keep the process alive. */
export class ExpiryTimer {
  readonly #clock: Clock;
  #cancel: CancelTimer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `act` after `untilMs` by the clock, in place of an earlier call; `undefined`: stops. */
  set(untilMs: number | undefined, act: () => void): void {
    this.stop();
    if (untilMs === undefined) return;
    const ms = Math.max(0, untilMs - this.#clock.now()) + 1;
    this.#cancel = this.#clock.after(ms, act, { unref: true });
  }

  stop(): void {
    this.#cancel?.();
  }
}
