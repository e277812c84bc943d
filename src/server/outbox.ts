/**
 * What waits to be sent: answers for a client that may read slowly, or never.
 */

/** Part of the limit beyond which nothing is begun that would add to it. */
const crowdedAt = 0.5;

/** The sending side of a connection. */
export class Outbox {
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #encoder = new TextEncoder();
  readonly #maxBytes: number;
  #bytes = 0;
  #closed = false;
  /** Woken whenever something was sent. */
  #waiting = new Set<() => void>();

  /** Up to `maxBytes` wait for `output`. */
  constructor(output: WritableStream<Uint8Array>, maxBytes: number) {
    this.#writer = output.getWriter();
    this.#maxBytes = maxBytes;
  }

  /** True when so much is waiting that no new work should begin. */
  get isCrowded(): boolean {
    return this.#bytes > this.#maxBytes * crowdedAt;
  }

  /** Sends `message` as a line; what does not fit is refused, and may then be replaced. */
  send(message: unknown, how?: "always"): Promise<void> | "full" {
    const bytes = this.#encoder.encode(`${JSON.stringify(message)}\n`);
    const fits = this.#bytes === 0 || this.#bytes + bytes.length <= this.#maxBytes;
    if (!fits && how === undefined) return "full";
    return this.#write(bytes);
  }

  /** Resolves when the outbox is not crowded, is closed, or `signal` aborts. */
  async roomy(signal: AbortSignal): Promise<void> {
    await this.#until(() => !this.isCrowded || signal.aborted, signal);
  }

  /** Resolves when no more waits than may, or when the outbox is closed. */
  async belowLimit(): Promise<void> {
    await this.#until(() => this.#bytes <= this.#maxBytes);
  }

  /** Resolves when nothing waits, or when the outbox is closed. */
  async empty(): Promise<void> {
    await this.#until(() => this.#bytes === 0);
  }

  /** Nothing is waited for any more. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  async #write(bytes: Uint8Array): Promise<void> {
    this.#bytes += bytes.length;
    try {
      await this.#writer.write(bytes);
    } finally {
      this.#bytes -= bytes.length;
      this.#wake();
    }
  }

  async #until(holds: () => boolean, signal?: AbortSignal): Promise<void> {
    if (holds() || this.#closed) return;
    const wake = () => this.#wake();
    signal?.addEventListener("abort", wake);
    while (!holds() && !this.#closed) {
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
    signal?.removeEventListener("abort", wake);
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = new Set();
    for (const resolve of waiting) resolve();
  }
}
