/** A stream on its way to where an output is kept. */

import { endWithin } from "../text/utf8.ts";
import { lineFeedsAmong } from "../text/lines.ts";

/** A stream on its way. */
export interface Spool {
  /** Line feeds in all that was written. */
  readonly lines: number;
  /** Bytes of it that are kept. */
  readonly bytes: number;
  /** Whether there was no room for its end. */
  readonly isCut: boolean;
  write(chunk: Uint8Array): void;
  /** The text that is kept, and how much of it there was no room for. */
  read(): string;
  /** Frees its place. */
  discard(): void;
}

/** What {@linkcode spoolInto} has of whoever owns the slot. */
export interface SpoolOptions {
  /** Bytes that the slot may have. */
  readonly most: number;
  /** Writes behind what is there; false where there is no room. */
  readonly write: (bytes: Uint8Array) => boolean;
  readonly read: () => Uint8Array;
  readonly discard: () => void;
}

/** A stream of which nobody knows how long it will be, into `slot`. */
export function spoolInto(
  slot: { readonly bytes: number },
  { most, write, read, discard }: SpoolOptions,
): Spool {
  let total = 0;
  let lines = 0;
  let isOpen = true;
  return {
    get lines() {
      return lines;
    },
    get bytes() {
      return slot.bytes;
    },
    get isCut() {
      return total > slot.bytes;
    },
    write(chunk) {
      total += chunk.length;
      lines += lineFeedsAmong(chunk);
      const room = most - slot.bytes;
      if (isOpen && room > 0) isOpen = write(chunk.subarray(0, room));
    },
    read() {
      const bytes = read();
      const missing = total - slot.bytes;
      if (missing === 0) return new TextDecoder().decode(bytes);
      const text = new TextDecoder().decode(bytes.subarray(0, endWithin(bytes)));
      return `${text}\n[… ${missing.toLocaleString("en-US")} bytes omitted …]`;
    },
    discard,
  };
}
