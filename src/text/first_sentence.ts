/** Finds the first sentence of a description. */

/**
 * The first sentence of `text`, in one line. A sentence ends with its mark, and not within brackets, at a
 * number or after a short form; without a mark it ends with its paragraph.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(firstSentence("Read a file, e.g. a log (see 1.5). Fails\nif it is missing."), "Read a file, e.g. a log (see 1.5).");
 * ```
 */
export function firstSentence(text: string): string {
  const [paragraph = ""] = text.trim().split(/\n\s*\n/);
  const line = paragraph.replaceAll(/\s+/g, " ");
  for (const { index } of line.matchAll(/[.!?。！？](?=["')\]]?(?:\s|$))/g)) {
    const sentence = line.slice(0, index + 1);
    if (!/\b(?:e\.g|i\.e|vs|etc|cf|approx|no)\.$/i.test(sentence) && isClosed(sentence)) {
      return sentence;
    }
  }
  return line;
}

function isClosed(text: string): boolean {
  return text.split("(").length <= text.split(")").length;
}
