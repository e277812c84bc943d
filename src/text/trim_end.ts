/** Takes the same few characters off an end; an expression such as `/0+$/` tries again at each of them. */

/**
 * `text` without those of `characters` that it ends with, in linear time.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(trimEndOf("1.500", "0"), "1.5");
 * ```
 */
export function trimEndOf(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1]!)) end--;
  return text.slice(0, end);
}
