/** Splits streams of bytes into lines of bounded length, and writes texts in batches. */

import { Buffer } from "node:buffer";

const newline = 10;

/** After this many lines the event loop handles other events, which a chunk of many lines would hold up. */
const linesPerTurn = 256;

/** A pipe from which bytes are read. At its end, `read` returns no `value`. */
export interface ByteSource {
  read(): Promise<{ readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

export type ByteSink = Pick<WritableStreamDefaultWriter, "write"> & { close?(): Promise<void> };

/** The beginning and end of a line that is too long. They may tell the caller to which call the line belongs. */
export interface Excess {
  head: Uint8Array;
  tail: Uint8Array;
  isEndless: boolean;
}

const endBytes = 128;
const endlessTimes = 5;

export async function* splitLines(
  reader: Pick<ByteSource, "read">,
  maxBytes: number,
  excess?: Excess,
): AsyncGenerator<Uint8Array | "oversized"> {
  const buffer = new GrowingBuffer();
  const most = excess === undefined ? maxBytes : endlessTimes * maxBytes;
  let length = 0;
  let isReported = false;
  let lines = 0;
  const add = (part: Uint8Array) => {
    const isFirstExcess = length <= maxBytes;
    length += part.length;
    if (length <= maxBytes) return buffer.append(part);
    const start = isFirstExcess ? buffer.take() : undefined;
    if (excess === undefined) return;
    if (start !== undefined) [excess.head, excess.tail] = [start.slice(0, endBytes), start];
    excess.tail = Buffer.concat([excess.tail, part.subarray(-endBytes)]).subarray(-endBytes);
    excess.isEndless = length > most;
  };
  while (true) {
    const { value } = await reader.read();
    if (value === undefined) break;
    let start = 0;
    for (let end = value.indexOf(newline); end !== -1; end = value.indexOf(newline, start)) {
      const part = value.subarray(start, end);
      start = end + 1;
      const isWhole = length === 0 && part.length <= maxBytes;
      if (!isWhole) add(part);
      const line = isWhole ? part : length > maxBytes ? "oversized" : buffer.take();
      const isLeftOut = isReported || line.length === 0;
      [length, isReported] = [0, false];
      if (isLeftOut) continue;
      yield line;
      if (++lines % linesPerTurn === 0) await nextTurn();
    }
    add(value.subarray(start));
    if (isReported || length <= most) continue;
    isReported = true;
    yield "oversized";
  }
  if (buffer.length > 0) yield buffer.take();
}

/** Resolves after the event loop has handled the events that are due, such as timers and input. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

export function countLineFeeds(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/** Counts line feeds by a loop, which is faster than `indexOf()` if lines are short. */
export function countLineFeedBytes(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if (byte === newline) count++;
  return count;
}

const firstBytes = 1024;

export class GrowingBuffer {
  #bytes = new Uint8Array();
  #length = 0;

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

  take(): Uint8Array<ArrayBuffer> {
    const bytes = this.#bytes.subarray(0, this.#length);
    this.#bytes = new Uint8Array();
    this.#length = 0;
    return bytes;
  }
}

/** A batch with this many characters takes no more texts; the next text waits or begins another batch. */
const fullLength = 256 * 1024;

interface Batch {
  text: string;
  readonly written: Promise<void>;
}

/** Writes texts to a stream. Texts that arrive during a write are written together in the next write. */
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
    // A failed write is reported to its own caller; later writes to the broken stream fail by themselves
    this.#last = batch.written.then(nextTurn, () => {});
  }

  async #write(batch: Batch): Promise<void> {
    if (this.#batch === batch) this.#batch = undefined;
    await this.#writer.write(this.#encoder.encode(batch.text));
  }
}

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

export function startFrom(bytes: Uint8Array, from = 0): number {
  let start = from;
  while (start < Math.min(from + 3, bytes.length) && isContinuation(bytes[start]!)) start++;
  return start;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
