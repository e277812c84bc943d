/** A timeout that progress restarts, and that is paused while a person is asked. */

export class ProgressTimeout {
  readonly #quietMs: number;
  readonly #totalMs: number;
  readonly #onTimeout: (reason: string) => void;
  #spentMs = 0;
  #since = performance.now();
  #pauses = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Calls `onTimeout` once, after `quietMs` without progress or `totalMs` in all. */
  constructor(quietMs: number, totalMs: number, onTimeout: (reason: string) => void) {
    this.#quietMs = quietMs;
    this.#totalMs = Math.max(totalMs, quietMs);
    this.#onTimeout = onTimeout;
    this.#arm();
  }

  /** Restarts the timeout. */
  news(): void {
    if (this.#pauses > 0) return;
    this.#count();
    this.#arm();
  }

  /** Pauses until `resume` was called as often. */
  pause(): void {
    if (this.#pauses++ > 0) return;
    this.#count();
    clearTimeout(this.#timer);
  }

  resume(): void {
    if (--this.#pauses > 0) return;
    this.#since = performance.now();
    this.#arm();
  }

  stop(): void {
    this.#pauses = Infinity;
    clearTimeout(this.#timer);
  }

  #count(): void {
    const now = performance.now();
    this.#spentMs += now - this.#since;
    this.#since = now;
  }

  #arm(): void {
    clearTimeout(this.#timer);
    const leftMs = this.#totalMs - this.#spentMs;
    const ms = Math.max(0, Math.min(this.#quietMs, leftMs));
    const reason = leftMs < this.#quietMs && this.#spentMs > 0
      ? `timed out after ${this.#totalMs / 1000}s in all`
      : `timed out after ${this.#quietMs / 1000}s`;
    this.#timer = setTimeout(() => this.#onTimeout(reason), ms);
  }
}
