/**
 * The width of a text on a screen, in cells. The library that measures any text takes a tenth of a start to load,
 * so it is loaded only for texts that have more than letters of one cell.
 */

/** Characters of one cell each: ASCII, Latin letters, dashes, quotes, the ellipsis and the check mark. */
const narrow = /^[\x20-\x7e\xa1-\xac\xae-\u02ff\u2010-\u2027\u2713]*$/;

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
