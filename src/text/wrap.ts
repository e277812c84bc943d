/** Breaks lines between words, for a screen of a known width, and measures texts in its cells. */

interface WrapOptions {
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
function characterCount(text: string): number {
  // deno-lint-ignore no-control-regex
  return [...text.replaceAll(/\x1b\[[\d;]*m/g, "")].length;
}

/** Characters of one cell each: ASCII, Latin letters, dashes, quotes, the ellipsis and the check mark. */
const narrow = /^[\x20-\x7e\xa1-\xac\xae-\u02ff\u2010-\u2027\u2713]*$/;

/** Any text; it takes a tenth of a start to load, so it is loaded only for texts that have others. */
let measure: ((text: string) => number) | undefined;

/** Loads what {@linkcode cellWidth} needs for `texts`; to be awaited before. */
export async function prepareWidths(texts: Iterable<string>): Promise<void> {
  if (measure !== undefined) return;
  for (const text of texts) {
    if (narrow.test(text)) continue;
    measure = (await import("string-width")).default;
    return;
  }
}

/** The width of `text`. */
export function cellWidth(text: string): number {
  return measure === undefined || narrow.test(text) ? text.length : measure(text);
}
