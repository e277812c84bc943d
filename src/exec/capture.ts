/**
 * Reads one output stream of a program and keeps a bounded part of it: the first and the last
 * bytes, with a line between them that says how much is missing.
 */

import { endWithin, startFrom } from "../text/utf8.ts";
import { Buffer } from "node:buffer";
import { isBinary, mediaTypeOf } from "./binary.ts";
import type { Captured } from "./invocation.ts";

/** Bytes asked for at first: most programs write less, and the memory is not free at once. */
const firstChunkBytes = 4 * 1024;

/** Bytes asked for at once after that: what a Linux pipe holds. */
const chunkBytes = 64 * 1024;

export interface CaptureOptions {
  /** Bytes kept of the beginning, and as many of the end. */
  readonly keep: number;
  /** Called with each chunk as it arrives; the chunk's bytes are overwritten by the next one. */
  readonly onChunk?: ((chunk: Uint8Array) => void) | undefined;
  /** Called once, when there is more than is kept; what it gives is written everything, from the start. */
  readonly overflow?: (() => Spill | undefined) | undefined;
}

/** Where a stream goes that is longer than what is kept of it. */
export interface Spill {
  /** Takes the next bytes; keeps no hold of `chunk`. */
  write(chunk: Uint8Array): void;
}

/** A stream being read. */
export interface Capture {
  /** Settles when the stream has ended or was let go; never rejects. */
  readonly done: Promise<void>;
  /** True when it has ended, so that there is nothing to wait for and nothing to release. */
  readonly isDone: boolean;
  /** Stops reading, even if a process still holds the other end. */
  release(): Promise<void>;
  /** The text that has been read so far. */
  result(): Captured;
}

/** Starts to read `stream`. */
export function capture(stream: ReadableStream<Uint8Array>, options: CaptureOptions): Capture {
  const reader = stream.getReader({ mode: "byob" });
  const kept = new KeptBytes(options.keep, options.overflow);
  let isDone = false;
  const read = async (): Promise<void> => {
    // One buffer for the rest of the stream: a flood makes no garbage
    let buffer = new ArrayBuffer(firstChunkBytes);
    while (true) {
      const { value, done } = await reader.read(new Uint8Array(buffer));
      if (done) return;
      kept.append(value);
      options.onChunk?.(value);
      const isShort = value.length === firstChunkBytes && value.buffer.byteLength < chunkBytes;
      buffer = isShort ? new ArrayBuffer(chunkBytes) : value.buffer;
    }
  };
  return {
    // A stream that breaks has ended: what was read is what there is
    done: read().catch(() => {}).finally(() => isDone = true),
    get isDone() {
      return isDone;
    },
    release: () => reader.cancel().catch(() => {}),
    result: () => kept.result(),
  };
}

/** The first and the last `keep` bytes of a sequence of chunks. */
export class KeptBytes {
  /** Bytes appended so far. */
  total = 0;
  readonly #keep: number;
  readonly #head: Uint8Array[] = [];
  #headLength = 0;
  /** The last bytes, in a ring that is made when the head is full. */
  #ring: Uint8Array | undefined;
  /** Bytes that went into the ring. */
  #ringTotal = 0;
  #overflow: CaptureOptions["overflow"];
  #spill: Spill | undefined;

  constructor(keep: number, overflow?: CaptureOptions["overflow"]) {
    this.#keep = keep;
    this.#overflow = overflow;
  }

  /** Takes the next chunk; keeps its bytes, not the chunk. */
  append(chunk: Uint8Array): void {
    this.#spillOver(chunk);
    this.total += chunk.length;
    const room = this.#keep - this.#headLength;
    if (room > 0) {
      const first = chunk.slice(0, room);
      this.#head.push(first);
      this.#headLength += first.length;
    }
    if (chunk.length > room) this.#appendToRing(chunk.subarray(Math.max(0, room)));
  }

  /** Begins to spill with the first byte that would be lost. */
  #spillOver(chunk: Uint8Array): void {
    if (this.#overflow !== undefined && this.total + chunk.length > 2 * this.#keep) {
      this.#spill = this.#overflow();
      this.#overflow = undefined;
      for (const part of [...this.#head, this.#tail()]) this.#spill?.write(part);
    }
    this.#spill?.write(chunk);
  }

  #appendToRing(chunk: Uint8Array): void {
    const size = this.#keep;
    if (size === 0) return;
    this.#ring ??= new Uint8Array(size);
    const last = chunk.subarray(-size);
    const start = (this.#ringTotal + chunk.length - last.length) % size;
    const untilWrap = Math.min(last.length, size - start);
    this.#ring.set(last.subarray(0, untilWrap), start);
    this.#ring.set(last.subarray(untilWrap), 0);
    this.#ringTotal += chunk.length;
  }

  /** The bytes that are kept. */
  result(): Captured {
    if (this.total === 0) return { text: "", bytes: 0 };
    const text = this.text();
    const isWhole = this.#headLength + this.#ringTotal === this.total &&
      this.#ringTotal <= this.#keep;
    const captured = { text, bytes: this.total, ...(isWhole ? {} : { isCut: true }) };
    const mediaType = mediaTypeOf(this.#head[0] ?? new Uint8Array());
    if (!isBinary(text, mediaType)) return captured;
    return {
      ...captured,
      binary: {
        ...(mediaType === undefined ? {} : { mediaType }),
        ...(isWhole ? { data: Buffer.concat([...this.#head, this.#tail()]) } : {}),
      },
    };
  }

  /** The kept bytes as text, cut between characters. */
  text(): string {
    const tail = this.#tail();
    const omitted = this.total - this.#headLength - tail.length;
    const decoder = new TextDecoder();
    const head = this.#head.length === 1 ? this.#head[0]! : Buffer.concat(this.#head);
    if (omitted === 0) {
      return decoder.decode(tail.length === 0 ? head : Buffer.concat([head, tail]));
    }
    const headEnd = endWithin(head);
    const tailStart = startFrom(tail);
    const missing = omitted + (head.length - headEnd) + tailStart;
    const mark = `[… ${missing.toLocaleString("en-US")} bytes omitted …]`;
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
