/** A stored output as its readers see it: the whole, or the part around a position. */

import { Buffer } from "node:buffer";
import { lineFeedsIn } from "../text/lines.ts";

/** An output that can be read. */
export interface StoredOutputInfo {
  readonly id: string;
  readonly bytes: number;
  /** The end is missing: it was longer than one may be. */
  readonly isCut: boolean;
}

/** A position in a text: a line, from 0, with the number of lines that are wanted, or a byte. */
export type TextPosition =
  | { readonly line: number; readonly lines: number }
  | { readonly byte: number };

/** Adjacent characters of a text. */
export interface TextPart {
  readonly text: string;
  /** Lines in front of it. */
  readonly line: number;
  /** Bytes in front of it. */
  readonly byte: number;
  readonly isEnd: boolean;
}

export interface OutputText {
  readonly bytes: number;
  /** A line feed at the end begins no further line. */
  readonly lines: number;
  /** A part that has `position` in it and at least `bytes` bytes after it, or the wanted lines, or the end. */
  part(position: TextPosition, bytes: number): TextPart | Promise<TextPart>;
  whole(): string | Promise<string>;
}

/** A text in memory: any part is the whole. */
export function outputText(text: string): OutputText {
  return {
    get bytes() {
      return Buffer.byteLength(text);
    },
    get lines() {
      return lineFeedsIn(text) + (text.endsWith("\n") ? 0 : 1);
    },
    part: () => ({ text, line: 0, byte: 0, isEnd: true }),
    whole: () => text,
  };
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
