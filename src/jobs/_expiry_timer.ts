/** Sees to it that what is kept for a time goes in time, whether or not anybody asks for it. */

import { monotonicNow } from "../process/monotonic.ts";

/** One moment that is waited for; it keeps no process alive. */
export class ExpiryTimer {
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Calls `act` when `untilMs`, by {@linkcode monotonicNow}, is over; absent: no more. Another replaces it. */
  set(untilMs: number | undefined, act: () => void): void {
    this.stop();
    if (untilMs === undefined) return;
    this.#timer = setTimeout(act, Math.max(0, untilMs - monotonicNow()) + 1);
    Deno.unrefTimer(this.#timer);
  }

  /** Nothing is waited for. */
  stop(): void {
    clearTimeout(this.#timer);
  }
}
