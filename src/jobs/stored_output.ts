/** A stream of unknown length, of which the first bytes stay in memory until it is discarded. */

import { isUtf8 } from "node:buffer";
import { endWithin } from "../text/utf8.ts";
import { lineFeedsAmong } from "../text/lines.ts";
import { thousands } from "../text/plural.ts";

interface StoredOutputOptions {
  /** Bytes that are kept. */
  readonly most: number;
  /** Makes room for so many bytes more; false where there is none. @default there always is */
  readonly makeRoom?: (bytes: number) => boolean;
  readonly onDiscard?: () => void;
}

/** A stream, from its first byte on. */
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

  /** Line feeds in all that was written. */
  get lines(): number {
    return this.#lines;
  }

  /** Bytes of it that are kept. */
  get bytes(): number {
    return this.#buffer.byteLength;
  }

  get isCut(): boolean {
    return this.#total > this.bytes;
  }

  /** True when bytes of what is kept are no UTF-8. */
  get isLossy(): boolean {
    return !isUtf8(new Uint8Array(this.#buffer));
  }

  /** Takes the next bytes; copies what it keeps of `chunk`. */
  write(chunk: Uint8Array): void {
    this.#total += chunk.length;
    this.#lines += lineFeedsAmong(chunk);
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
