/** Breaks lines between words, for a screen of a known width, and measures texts in its cells. */

import { stripControlSequences } from "./control_sequences.ts";

interface WrapOptions {
  /** The text in front of every line after the first. @default "" */
  readonly indent?: string;
  /** The width of a text in cells. @default {@linkcode characterCount} */
  readonly widthOf?: (text: string) => number;
}

/**
 * Breaks the line `text` at spaces so that no line is wider than `width`. A longer word has a line of its own,
 * whole. Spaces inside a line stay as they are.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * assert.deepEqual(wrap("undo a  commit", 9), ["undo a", "commit"]);
 * assert.deepEqual(wrap("a https://long.example", 8, { indent: "  " }), ["a", "  https://long.example"]);
 * ```
 */
export function wrap(
  text: string,
  width: number,
  { indent = "", widthOf = characterCount }: WrapOptions = {},
): string[] {
  if (widthOf(text) <= width) return [text];
  const lines: string[] = [];
  let line = "";
  let hasWord = false;
  for (const [part] of text.matchAll(/ +|[^ ]+/g)) {
    const isBlank = part.startsWith(" ");
    if (!isBlank && hasWord && widthOf(line + part) > width) {
      lines.push(line.trimEnd());
      line = indent;
      hasWord = false;
    }
    line += part;
    hasWord ||= !isBlank;
  }
  return [...lines, line.trimEnd()];
}

/** Returns the number of characters in `text`, without the escape sequences that colour it. */
function characterCount(text: string): number {
  // deno-lint-ignore no-control-regex
  return [...text.replaceAll(/\x1b\[[\d;]*m/g, "")].length;
}

/** Matches characters of one cell each: ASCII, Latin letters, dashes, quotes, the ellipsis and the check mark. */
const narrow = /^[\x20-\x7e\xa1-\xac\xae-\u02ff\u2010-\u2027\u2713]*$/;

/** Matches characters that take no cell. It is made when a text needs it: these sets cost a start 20 ms. */
const noCell = () =>
  /^[\p{Default_Ignorable_Code_Point}\p{Control}\p{Format}\p{Mn}\p{Me}\p{Surrogate}]+$/v;

/** Matches characters that take two cells: pictures, and those of East Asia without the ones of half width. */
const twoCells = () =>
  /^(?:\p{RGI_Emoji}|[[\u2329\u232a\u4dc0-\u4dff\u2ff0-\u2fff\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Bopomofo}\p{sc=Yi}\p{sc=Tangut}\p{sc=Nushu}\u3000-\u303e\u3099-\u33ff\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6]--[\u1160-\u11ff\uff61-\uffdc]])/v;

/** Returns the width of `text` in cells, without its control sequences. */
export function cellWidth(text: string): number {
  if (narrow.test(text)) return text.length;
  return [...new Intl.Segmenter().segment(stripControlSequences(text))].reduce(
    (sum, { segment }) => sum + (noCell().test(segment) ? 0 : twoCells().test(segment) ? 2 : 1),
    0,
  );
}
