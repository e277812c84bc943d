/** How long an answer is waited for: news lengthens the wait, and a person's time does not count. */

/** A wait that gives up once. */
export class ProgressTimeout {
  readonly #quietMs: number;
  readonly #totalMs: number;
  readonly #giveUp: (reason: string) => void;
  #spentMs = 0;
  #since = performance.now();
  #pauses = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Calls `giveUp` after `quietMs` without news, or `totalMs` in all. */
  constructor(quietMs: number, totalMs: number, giveUp: (reason: string) => void) {
    this.#quietMs = quietMs;
    this.#totalMs = Math.max(totalMs, quietMs);
    this.#giveUp = giveUp;
    this.#arm();
  }

  /** Begins the wait anew. */
  news(): void {
    if (this.#pauses > 0) return;
    this.#count();
    this.#arm();
  }

  /** Stops the clock until as many calls of `resume`. */
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

  /** Ends the wait for good. */
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
    this.#timer = setTimeout(() => this.#giveUp(reason), ms);
  }
}
