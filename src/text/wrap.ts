/** Breaks lines between words for a screen of known width, and measures the width of texts. */

import { stripControlSequences } from "./control_sequences.ts";

interface WrapOptions {
  readonly indent?: string;
  readonly widthOf?: (text: string) => number;
}

/** Breaks `text` at spaces so that no line is wider than `width`; a word that is wider gets a line of its own. */
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

function characterCount(text: string): number {
  // deno-lint-ignore no-control-regex
  return [...text.replaceAll(/\x1b\[[\d;]*m/g, "")].length;
}

/** Matches text in which each character takes one cell of a terminal. */
const narrow = /^[\x20-\x7e\xa1-\xac\xae-\u02ff\u2010-\u2027\u2713]*$/;

/** Makes the pattern for characters of no width, when first needed: to compile it takes 20 ms. */
const noCell = () =>
  /^[\p{Default_Ignorable_Code_Point}\p{Control}\p{Format}\p{Mn}\p{Me}\p{Surrogate}]+$/v;

/** Makes the pattern for emoji and East Asian characters, which take two cells of a terminal. */
const twoCells = () =>
  /^(?:\p{RGI_Emoji}|[[\u2329\u232a\u4dc0-\u4dff\u2ff0-\u2fff\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Bopomofo}\p{sc=Yi}\p{sc=Tangut}\p{sc=Nushu}\u3000-\u303e\u3099-\u33ff\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6]--[\u1160-\u11ff\uff61-\uffdc]])/v;

export function cellWidth(text: string): number {
  if (narrow.test(text)) return text.length;
  return [...new Intl.Segmenter().segment(stripControlSequences(text))].reduce(
    (sum, { segment }) => sum + (noCell().test(segment) ? 0 : twoCells().test(segment) ? 2 : 1),
    0,
  );
}
