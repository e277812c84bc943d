/** The timeout of a call, which progress restarts and which stands still while a person is asked. */

import type { CancelTimer, Clock } from "../../async/clock.ts";

interface ProgressTimeoutBounds {
  /** Most milliseconds without progress. */
  readonly quietMs: number;
  /** Most milliseconds in all; at least `quietMs`. */
  readonly totalMs: number;
  readonly clock: Clock;
}

export class ProgressTimeout {
  #spentMs = 0;
  #since: number;
  #pauses = 0;
  #cancel: CancelTimer = () => {};

  constructor(
    readonly bounds: ProgressTimeoutBounds,
    readonly onTimeout: (reason: string) => void,
  ) {
    this.#since = bounds.clock.now();
    this.#arm();
  }

  news(): void {
    if (this.#pauses > 0) return;
    this.#count();
    this.#arm();
  }

  /** Stops the time until `resume` was called as often as this. */
  pause(): void {
    if (this.#pauses++ > 0) return;
    this.#count();
    this.#cancel();
  }

  resume(): void {
    if (--this.#pauses > 0) return;
    this.#since = this.bounds.clock.now();
    this.#arm();
  }

  stop(): void {
    this.#pauses = Infinity;
    this.#cancel();
  }

  #count(): void {
    const now = this.bounds.clock.now();
    this.#spentMs += now - this.#since;
    this.#since = now;
  }

  #arm(): void {
    this.#cancel();
    const { quietMs, totalMs, clock } = this.bounds;
    const mostMs = Math.max(totalMs, quietMs);
    const leftMs = mostMs - this.#spentMs;
    const reason = leftMs < quietMs && this.#spentMs > 0
      ? `timed out after ${mostMs / 1000}s in all`
      : `timed out after ${quietMs / 1000}s`;
    const ms = Math.max(0, Math.min(quietMs, leftMs));
    this.#cancel = clock.after(ms, () => this.onTimeout(reason));
  }
}
