/** The timeout of a call, which progress restarts and which stands still while a person is asked. */

import type { CancelTimer, Clock } from "../../async/clock.ts";

interface ProgressTimeoutBounds {
  /** Most milliseconds without progress. */
  readonly quietMs: number;
  /** Most milliseconds in all; at least `quietMs`. */
  readonly totalMs: number;
  readonly clock: Clock;
}

/** A timeout that progress restarts, and that is paused while a person is asked. */
export class ProgressTimeout {
  readonly #quietMs: number;
  readonly #totalMs: number;
  readonly #onTimeout: (reason: string) => void;
  #spentMs = 0;
  readonly #clock: Clock;
  #since: number;
  #pauses = 0;
  #cancel: CancelTimer | undefined;

  constructor(
    { quietMs, totalMs, clock }: ProgressTimeoutBounds,
    onTimeout: (reason: string) => void,
  ) {
    this.#clock = clock;
    this.#since = clock.now();
    this.#quietMs = quietMs;
    this.#totalMs = Math.max(totalMs, quietMs);
    this.#onTimeout = onTimeout;
    this.#arm();
  }

  news(): void {
    if (this.#pauses > 0) return;
    this.#count();
    this.#arm();
  }

  /** Pauses until `resume` was called as often. */
  pause(): void {
    if (this.#pauses++ > 0) return;
    this.#count();
    this.#cancel?.();
  }

  resume(): void {
    if (--this.#pauses > 0) return;
    this.#since = this.#clock.now();
    this.#arm();
  }

  stop(): void {
    this.#pauses = Infinity;
    this.#cancel?.();
  }

  #count(): void {
    const now = this.#clock.now();
    this.#spentMs += now - this.#since;
    this.#since = now;
  }

  #arm(): void {
    this.#cancel?.();
    const leftMs = this.#totalMs - this.#spentMs;
    const ms = Math.max(0, Math.min(this.#quietMs, leftMs));
    const reason = leftMs < this.#quietMs && this.#spentMs > 0
      ? `timed out after ${this.#totalMs / 1000}s in all`
      : `timed out after ${this.#quietMs / 1000}s`;
    this.#cancel = this.#clock.after(ms, () => this.#onTimeout(reason));
  }
}
