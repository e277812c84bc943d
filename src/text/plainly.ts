/** Texts that somebody else wrote, before a person or an agent that decides by them. */

import { stripControlSequences } from "./control_sequences.ts";

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

/** `text` as one line: its line ends are spaces, and what is not seen is left out. */
export function inOneLine(text: string): string {
  const words = stripControlSequences(text.replaceAll(/[\s\x85]/g, " ")).toWellFormed();
  return words.replaceAll(hidden, "").replaceAll(/ +/g, " ").trim();
}

/**
 * `value` as JSON in one line, in which what is not seen is escaped: it reads back as it was.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(jsonInOneLine("a\u2028b\n"), '"a\\u2028b\\n"');
 * ```
 */
export function jsonInOneLine(value: unknown): string {
  return (JSON.stringify(value) ?? "null").replaceAll(hidden, (character) => {
    const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
  });
}

/** Unicode's other characters, separators but the space, marks without a base of their own, fillers. */
const hidden =
  /[\p{C}\p{Zl}\p{Zp}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\u{fe00}-\u{fe0f}\u{e0100}-\u{e01ef}]/gu;
