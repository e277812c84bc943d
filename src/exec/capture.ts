/** Reads one output stream of a program, and stores its first and last bytes, with a line about the omitted ones. */

import { endWithin, startFrom } from "../text/lines.ts";
import { Buffer, isUtf8 } from "node:buffer";
import { isBinary, mediaTypeOf } from "./binary.ts";
import { ConsoleText } from "./console_text.ts";
import type { StreamDecoder } from "../text/code_page.ts";
import type { Captured } from "./invocation.ts";
import { present } from "../text/own_property.ts";
import { thousands } from "../text/plural.ts";

const chunkBytes = 64 * 1024;

interface CaptureOptions {
  readonly keep: number;
  readonly onChunk?: ((chunk: Uint8Array) => void) | undefined;
  /** Called once, when more arrives than is stored; the returned writer gets all bytes from the start. */
  readonly storeRest?: (() => StoredOutputWriter | undefined) | undefined;
  readonly decoder?: StreamDecoder | undefined;
}

export interface StoredOutputWriter {
  /** This function must copy the bytes that it needs later, because its caller uses the memory of `chunk` again. */
  write(chunk: Uint8Array): void;
}

export class Capture {
  readonly done: Promise<void>;
  isDone = false;
  readonly #reader: ReadableStreamBYOBReader;
  readonly #stored: BoundedBytes;
  readonly #onChunk: CaptureOptions["onChunk"];
  readonly #text: ConsoleText | undefined;

  constructor(
    stream: ReadableStream<Uint8Array>,
    { keep, storeRest, onChunk, decoder }: CaptureOptions,
  ) {
    this.#reader = stream.getReader({ mode: "byob" });
    this.#stored = new BoundedBytes(keep, storeRest);
    this.#onChunk = onChunk;
    this.#text = decoder && new ConsoleText(decoder);
    this.done = this.#read();
  }

  /** Stops reading, even if a process still holds the other end. */
  release(): Promise<void> {
    return this.#reader.cancel().catch(() => {});
  }

  result(): Captured {
    return this.#stored.result();
  }

  async #read(): Promise<void> {
    try {
      let buffer = new ArrayBuffer(chunkBytes);
      while (true) {
        const { value, done } = await this.#reader.read(new Uint8Array(buffer));
        if (done) break;
        this.#take(this.#text === undefined ? value : this.#text.convert(value));
        buffer = value.buffer;
      }
      if (this.#text !== undefined) this.#take(this.#text.end());
    } catch {
      // A broken stream has ended: its bytes so far are the output
    }
    this.isDone = true;
  }

  #take(chunk: Uint8Array): void {
    this.#stored.append(chunk);
    this.#onChunk?.(chunk);
  }
}

export class BoundedBytes {
  total = 0;
  readonly #keep: number;
  readonly #head: Uint8Array[] = [];
  #headLength = 0;
  #ring: Uint8Array | undefined;
  #ringTotal = 0;
  #openStore: CaptureOptions["storeRest"];
  #store: StoredOutputWriter | undefined;

  constructor(keep: number, storeRest?: CaptureOptions["storeRest"]) {
    this.#keep = keep;
    this.#openStore = storeRest;
  }

  append(chunk: Uint8Array): void {
    this.#passOn(chunk);
    this.total += chunk.length;
    const free = this.#keep - this.#headLength;
    if (free > 0) {
      const first = chunk.slice(0, free);
      this.#head.push(first);
      this.#headLength += first.length;
    }
    if (chunk.length > free) this.#appendToRing(chunk.subarray(Math.max(0, free)));
  }

  /** Writes all bytes from the first one to a store, as soon as more arrive than are kept in memory. */
  #passOn(chunk: Uint8Array): void {
    if (this.#openStore !== undefined && this.total + chunk.length > 2 * this.#keep) {
      this.#store = this.#openStore();
      this.#openStore = undefined;
      for (const part of [...this.#head, this.#tail()]) this.#store?.write(part);
    }
    this.#store?.write(chunk);
  }

  #appendToRing(chunk: Uint8Array): void {
    const size = this.#keep;
    if (size === 0) return;
    this.#ring ??= new Uint8Array(size);
    const last = chunk.subarray(-size);
    const from = (this.#ringTotal + chunk.length - last.length) % size;
    const untilWrap = Math.min(last.length, size - from);
    this.#ring.set(last.subarray(0, untilWrap), from);
    this.#ring.set(last.subarray(untilWrap), 0);
    this.#ringTotal += chunk.length;
  }

  result(): Captured {
    if (this.total === 0) return { text: "", bytes: 0 };
    const text = this.text();
    const isWhole = this.#headLength + this.#ringTotal === this.total &&
      this.#ringTotal <= this.#keep;
    const data = isWhole ? Buffer.concat([...this.#head, this.#tail()]) : undefined;
    const mediaType = mediaTypeOf(this.#head[0] ?? new Uint8Array());
    return {
      text,
      bytes: this.total,
      ...present({
        isCut: !isWhole || undefined,
        isLossy: data && text.includes("\ufffd") && !isUtf8(data) || undefined,
        binary: isBinary(text, mediaType) ? present({ mediaType, data }) : undefined,
      }),
    };
  }

  text(): string {
    const tail = this.#tail();
    const omitted = this.total - this.#headLength - tail.length;
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    const head = this.#head.length === 1 ? this.#head[0]! : Buffer.concat(this.#head);
    if (omitted === 0) {
      return decoder.decode(tail.length === 0 ? head : Buffer.concat([head, tail]));
    }
    const headEnd = endWithin(head);
    const tailStart = startFrom(tail);
    const missing = omitted + (head.length - headEnd) + tailStart;
    const mark = `[… ${thousands(missing)} bytes omitted …]`;
    const before = decoder.decode(head.subarray(0, headEnd));
    const after = decoder.decode(tail.subarray(tailStart));
    return `${before}\n${mark}\n${after}`;
  }

  #tail(): Uint8Array {
    if (this.#ring === undefined) return new Uint8Array();
    if (this.#ringTotal <= this.#keep) return this.#ring.subarray(0, this.#ringTotal);
    const split = this.#ringTotal % this.#keep;
    return Buffer.concat([this.#ring.subarray(split), this.#ring.subarray(0, split)]);
  }
}
