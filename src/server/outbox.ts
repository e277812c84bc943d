/** The answers that wait for a client, which may read slowly or never. */

import { Buffer } from "node:buffer";
import { TextWriter } from "../text/text_writer.ts";

/** Share of the limit above which no new work starts. */
const crowdedAt = 0.5;

export class Outbox {
  readonly #writer: TextWriter;
  readonly #maxBytes: number;
  #bytes = 0;
  #closed = false;
  /** Called whenever something was sent. */
  #waiting = new Set<() => void>();

  /** At most `maxBytes` wait for `output`. */
  constructor(output: WritableStream<Uint8Array>, maxBytes: number) {
    this.#writer = new TextWriter(output);
    this.#maxBytes = maxBytes;
  }

  /** True while no new work should start. */
  get isCrowded(): boolean {
    return this.#bytes > this.#maxBytes * crowdedAt;
  }

  /** Sends `message` as a line. Refuses what does not fit; the caller may send an error instead. */
  send(message: unknown, how?: "always"): Promise<void> | "full" {
    const line = `${JSON.stringify(message)}\n`;
    const bytes = Buffer.byteLength(line);
    const fits = this.#bytes === 0 || this.#bytes + bytes <= this.#maxBytes;
    if (!fits && how === undefined) return "full";
    return this.#write(line, bytes);
  }

  /** Resolves when the outbox is not crowded, is closed, or `signal` aborts. */
  async roomy(signal: AbortSignal): Promise<void> {
    await this.#until(() => !this.isCrowded || signal.aborted, signal);
  }

  /** Resolves when the limit is met, or the outbox is closed. */
  async belowLimit(): Promise<void> {
    await this.#until(() => this.#bytes <= this.#maxBytes);
  }

  /** Resolves when all was sent, or the outbox is closed. */
  async empty(): Promise<void> {
    await this.#until(() => this.#bytes === 0);
  }

  /** Stops all waiting. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  async #write(line: string, bytes: number): Promise<void> {
    this.#bytes += bytes;
    try {
      await this.#writer.write(line);
    } finally {
      this.#bytes -= bytes;
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
    if (this.#waiting.size === 0) return;
    const waiting = this.#waiting;
    this.#waiting = new Set();
    for (const resolve of waiting) resolve();
  }
}
