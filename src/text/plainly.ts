/** Texts that somebody else wrote, before a person who decides by them. */

/**
 * `text` with everything written out that is not seen, or changes how its neighbours are seen: control
 * characters, marks of direction, spaces of no width, line ends. A command line cannot look like
 * another then.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(plainly("rm \u202ea"), "rm \\u{202e}a");
 * ```
 */
export function plainly(text: string): string {
  return text.toWellFormed().replaceAll(hidden, (character) => {
    return `\\u{${character.codePointAt(0)!.toString(16)}}`;
  });
}

/** Unicode's other characters, separators but the space, marks without a base of their own, fillers. */
const hidden =
  /[\p{C}\p{Zl}\p{Zp}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\u{fe00}-\u{fe0f}\u{e0100}-\u{e01ef}]/gu;
