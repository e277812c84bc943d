/** Holds one output of a call, bounded in size, while it is written and until it is discarded. */

import { isUtf8 } from "node:buffer";
import { countLineFeedBytes, endWithin } from "../text/lines.ts";
import { thousands } from "../text/plural.ts";

export interface StoredOutputInfo {
  readonly id: string;
  readonly bytes: number;
  /** True if the end is missing, because the output was longer than allowed. */
  readonly isCut: boolean;
}

export interface OutputBounds {
  /** One output has at most this many bytes; the rest is discarded. */
  readonly bytes: number;
  readonly totalBytes: number;
  /** At most this many outputs are stored, including those that are being written. */
  readonly count: number;
  readonly ageMs: number;
}

/** A client that has authenticated may fill half of the memory (`totalBytes`) and store half of the outputs (`count`). */
export const defaultOutputBounds: OutputBounds = {
  bytes: 4 * 1024 * 1024,
  totalBytes: 64 * 1024 * 1024,
  count: 24,
  ageMs: 60 * 60 * 1000,
};

interface StoredOutputOptions {
  readonly most: number;
  /** Frees room for `bytes` more; if it returns false, the rest of the output is dropped. @default there always is room */
  readonly makeRoom?: (bytes: number) => boolean;
  readonly onDiscard?: () => void;
}

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

  /** The number of line feeds in the whole output, with its omitted part. */
  get lines(): number {
    return this.#lines;
  }

  get bytes(): number {
    return this.#buffer.byteLength;
  }

  get isCut(): boolean {
    return this.#total > this.bytes;
  }

  get isLossy(): boolean {
    return !isUtf8(new Uint8Array(this.#buffer));
  }

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
