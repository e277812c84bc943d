/** Evicts expired entries on a timer, without a request. */

import { monotonicNow } from "../process/monotonic.ts";

/** One timer. It does not keep the process alive. */
export class ExpiryTimer {
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Calls `act` after `untilMs` by {@linkcode monotonicNow}, in place of an earlier call; `undefined`: stops. */
  set(untilMs: number | undefined, act: () => void): void {
    this.stop();
    if (untilMs === undefined) return;
    this.#timer = setTimeout(act, Math.max(0, untilMs - monotonicNow()) + 1);
    Deno.unrefTimer(this.#timer);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
