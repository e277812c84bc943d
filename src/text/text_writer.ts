/** Writes the first text of a turn at once, later ones together: a write costs more than a text. */

import { nextTurn } from "./lines.ts";

/** Characters from which texts are not joined further. */
const fullLength = 256 * 1024;

interface Batch {
  text: string;
  readonly written: Promise<void>;
}

export class TextWriter {
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #encoder = new TextEncoder();
  #batch: Batch | undefined;
  #last: Promise<void> = Promise.resolve();

  constructor(stream: WritableStream<Uint8Array>) {
    this.#writer = stream.getWriter();
  }

  /** Resolves when `text` is written. */
  write(text: string): Promise<void> {
    if (this.#batch === undefined || this.#batch.text.length >= fullLength) this.#begin();
    this.#batch!.text += text;
    return this.#batch!.written;
  }

  /** Closes the stream after all that was added. */
  async close(): Promise<void> {
    await this.#last;
    await this.#writer.close();
  }

  #begin(): void {
    const batch: Batch = { text: "", written: this.#last.then(() => this.#write(batch)) };
    this.#batch = batch;
    // The next write of a broken stream fails by itself
    this.#last = batch.written.then(nextTurn, () => {});
  }

  async #write(batch: Batch): Promise<void> {
    if (this.#batch === batch) this.#batch = undefined;
    await this.#writer.write(this.#encoder.encode(batch.text));
  }
}
