/** Breaks lines between words, for a screen of a known width. */

/** Settings of {@linkcode wrap}. */
export interface WrapOptions {
  /** Put in front of every line after the first. @default "" */
  readonly indent?: string;
  /** The width of a text in cells. @default {@linkcode characterCount} */
  readonly widthOf?: (text: string) => number;
}

/**
 * Breaks the line `text` at spaces so that no line is wider than `room`. A longer word has a line of its own,
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
  room: number,
  { indent = "", widthOf = characterCount }: WrapOptions = {},
): string[] {
  if (widthOf(text) <= room) return [text];
  const lines: string[] = [];
  let line = "";
  let hasWord = false;
  for (const [part] of text.matchAll(/ +|[^ ]+/g)) {
    const isBlank = part.startsWith(" ");
    if (!isBlank && hasWord && widthOf(line + part) > room) {
      lines.push(line.trimEnd());
      line = indent;
      hasWord = false;
    }
    line += part;
    hasWord ||= !isBlank;
  }
  return [...lines, line.trimEnd()];
}

/** The number of characters in `text`, without the escape sequences that colour it. */
export function characterCount(text: string): number {
  // deno-lint-ignore no-control-regex
  return [...text.replaceAll(/\x1b\[[\d;]*m/g, "")].length;
}
