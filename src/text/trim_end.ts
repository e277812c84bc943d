/** Trims characters off an end in linear time; `/0+$/` tries again at each character. */

/**
 * Removes the `characters` at the end of `text`, in linear time.
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
