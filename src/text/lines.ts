/** Cuts byte streams into lines of bounded length, and UTF-8 between characters. */

import { Buffer } from "node:buffer";

const newline = 10;

/** After this many lines, other work has its turn: one chunk may have tens of thousands. */
const linesPerTurn = 256;

/** Reads a stream, or a pipe without the cost of a stream. The last read has no value. */
export interface ByteSource {
  read(): Promise<{ readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

/** Writes to a stream, or to a pipe without the cost of a stream. */
export type ByteSink = Pick<WritableStreamDefaultWriter, "write"> & { close?(): Promise<void> };

/** The ends of a line that is too long: where a reader has it, such a line is reported at its end. */
export interface Excess {
  head: Uint8Array;
  tail: Uint8Array;
  /** True for a line of over four times the bound, which is reported at once. */
  isEndless: boolean;
}

const endBytes = 128;

/**
 * Yields the lines of `reader` without line feeds and empty lines. A line with over `maxBytes` becomes `"oversized"` as
 * soon as that is known, and its rest is discarded as it arrives: it may have no end. An unfinished last line is a
 * line. The event loop turns between lines, even if many arrive at once.
 */
export async function* splitLines(
  reader: Pick<ByteSource, "read">,
  maxBytes: number,
  excess?: Excess,
): AsyncGenerator<Uint8Array | "oversized"> {
  const buffer = new GrowingBuffer();
  let isSkipping = false;
  let skipped = 0;
  /** Returns whether the line has just become too long, or is over four times too long if `excess` waits for its end. */
  const add = (part: Uint8Array): boolean => {
    if (part.length === 0) return false;
    const isFirst = !isSkipping;
    isSkipping ||= buffer.length + part.length > maxBytes;
    if (!isSkipping) {
      buffer.append(part);
      return false;
    }
    const before = isFirst ? buffer.take() : new Uint8Array();
    if (excess === undefined) return isFirst;
    if (isFirst) {
      [excess.head, excess.tail, skipped] = [before.slice(0, endBytes), before.slice(-endBytes), 0];
    }
    excess.tail = Buffer.concat([excess.tail, part.subarray(-endBytes)]).subarray(-endBytes);
    const wasEndless = skipped > 4 * maxBytes;
    skipped += part.length;
    excess.isEndless = skipped > 4 * maxBytes;
    return excess.isEndless && !wasEndless;
  };
  /** Returns the line that ends with `part`; `undefined` if it is empty, or the rest of a line that was too long. */
  const endWith = (part: Uint8Array): Uint8Array | "oversized" | undefined => {
    const isWhole = buffer.length === 0 && !isSkipping && part.length <= maxBytes;
    // Most lines come whole, and need no copy
    if (isWhole) return part.length === 0 ? undefined : part;
    const isOversized = add(part);
    const line = isSkipping ? undefined : buffer.take();
    const isTold = excess === undefined || excess.isEndless;
    const wasHeld = isSkipping && !isTold;
    isSkipping = false;
    return isOversized || wasHeld ? "oversized" : line;
  };

  let lines = 0;
  while (true) {
    const { value } = await reader.read();
    if (value === undefined) break;
    let start = 0;
    for (let end = value.indexOf(newline); end !== -1; end = value.indexOf(newline, start)) {
      const line = endWith(value.subarray(start, end));
      start = end + 1;
      if (line === undefined) continue;
      yield line;
      if (++lines % linesPerTurn === 0) await nextTurn();
    }
    if (add(value.subarray(start))) yield "oversized";
  }
  if (buffer.length > 0) yield buffer.take();
}

/** Resolves when the event loop has handled everything that has happened, timers and input included. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

export function countLineFeeds(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/** Counts the line feeds in `bytes`; lines of one byte are as fast as long ones. */
export function countLineFeedBytes(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if (byte === newline) count++;
  return count;
}

const firstBytes = 1024;

/** Joins pieces of bytes, which it copies. */
export class GrowingBuffer {
  #bytes = new Uint8Array();
  #length = 0;

  /** The number of bytes that the buffer holds. */
  get length(): number {
    return this.#length;
  }

  append(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(length, this.#bytes.length * 2, firstBytes));
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    this.#bytes.set(piece, this.#length);
    this.#length = length;
  }

  /** Returns all bytes, and empties the buffer. */
  take(): Uint8Array<ArrayBuffer> {
    const bytes = this.#bytes.subarray(0, this.#length);
    this.#bytes = new Uint8Array();
    this.#length = 0;
    return bytes;
  }
}

/** A batch with this many characters is sent before further text is added. */
const fullLength = 256 * 1024;

interface Batch {
  text: string;
  readonly written: Promise<void>;
}

/** Writes texts in batches: what is written while a batch is on its way belongs to the next one. */
export class TextWriter {
  readonly #writer: ByteSink;
  readonly #encoder = new TextEncoder();
  #batch: Batch | undefined;
  #last: Promise<void> = Promise.resolve();

  constructor(writer: ByteSink) {
    this.#writer = writer;
  }

  write(text: string): Promise<void> {
    if (this.#batch === undefined || this.#batch.text.length >= fullLength) this.#begin();
    this.#batch!.text += text;
    return this.#batch!.written;
  }

  async close(): Promise<void> {
    await this.#last;
    await this.#writer.close?.();
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

/** Returns the end of the last whole character among the first `most` bytes (UTF-8, RFC 3629). */
export function endWithin(bytes: Uint8Array, most = bytes.length): number {
  const end = Math.min(most, bytes.length);
  for (let back = 1; back <= Math.min(4, end); back++) {
    const byte = bytes[end - back]!;
    if (isContinuation(byte)) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? end - back : end;
  }
  return end;
}

/** Returns the start of the first whole character from byte `from` on. */
export function startFrom(bytes: Uint8Array, from = 0): number {
  let start = from;
  while (start < Math.min(from + 3, bytes.length) && isContinuation(bytes[start]!)) start++;
  return start;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
