/** One stored output: the bytes that are kept while it is written, and its bounds. */

import { isUtf8 } from "node:buffer";
import { countLineFeedBytes, endWithin } from "../text/lines.ts";
import { thousands } from "../text/plural.ts";

/** A stored output that can be read by its id. */
export interface StoredOutputInfo {
  readonly id: string;
  readonly bytes: number;
  /** True if the end is missing, as the output was longer than the bound. */
  readonly isCut: boolean;
}

/** Bounds of the stored outputs. */
export interface OutputBounds {
  /** Most bytes of one output; the rest is discarded. */
  readonly bytes: number;
  /** Most bytes of all outputs. */
  readonly totalBytes: number;
  /** Most outputs, those that are being written included. */
  readonly count: number;
  /** Milliseconds that an output is stored. */
  readonly ageMs: number;
}

/** 4 MiB each, 64 MiB together, 24 of them, for an hour; a client that is distinguished has half. */
export const defaultOutputBounds: OutputBounds = {
  bytes: 4 * 1024 * 1024,
  totalBytes: 64 * 1024 * 1024,
  count: 24,
  ageMs: 60 * 60 * 1000,
};

interface StoredOutputOptions {
  /** Bytes that are kept. */
  readonly most: number;
  /** Makes room for further bytes; returns false if there is none. @default there always is room */
  readonly makeRoom?: (bytes: number) => boolean;
  readonly onDiscard?: () => void;
}

/** An output of unknown length. Its first bytes stay in memory until it is discarded. */
export class StoredOutput {
  readonly #options: StoredOutputOptions;
  readonly #buffer: ArrayBuffer;
  #total = 0;
  #lines = 0;
  #isOpen = true;

  constructor(options: StoredOutputOptions) {
    this.#options = options;
    this.#buffer = new ArrayBuffer(0, { maxByteLength: options.most });
  }

  /** Returns the number of line feeds in everything that was written. */
  get lines(): number {
    return this.#lines;
  }

  /** Returns the number of bytes that are stored. */
  get bytes(): number {
    return this.#buffer.byteLength;
  }

  get isCut(): boolean {
    return this.#total > this.bytes;
  }

  /** Returns whether bytes of what is kept are no UTF-8. */
  get isLossy(): boolean {
    return !isUtf8(new Uint8Array(this.#buffer));
  }

  /** Appends `chunk`, as far as there is room; the bytes are copied. */
  write(chunk: Uint8Array): void {
    this.#total += chunk.length;
    this.#lines += countLineFeedBytes(chunk);
    const part = chunk.subarray(0, this.#options.most - this.bytes);
    if (!this.#isOpen || part.length === 0) return;
    this.#isOpen = this.#options.makeRoom?.(part.length) ?? true;
    if (!this.#isOpen) return;
    const at = this.bytes;
    this.#buffer.resize(at + part.length);
    new Uint8Array(this.#buffer, at).set(part);
  }

  read(): string {
    const bytes = new Uint8Array(this.#buffer);
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    if (!this.isCut) return decoder.decode(bytes);
    const text = decoder.decode(bytes.subarray(0, endWithin(bytes)));
    const missing = this.#total - bytes.length;
    return `${text}\n[… ${thousands(missing)} bytes omitted …]`;
  }

  discard(): void {
    this.#isOpen = false;
    this.#buffer.resize(0);
    this.#options.onDiscard?.();
  }
}
