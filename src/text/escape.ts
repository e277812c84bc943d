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
 * assert.equal(escapeInvisible("rm \u202ea"), "rm \\u{202e}a");
 * ```
 */
export function escapeInvisible(text: string): string {
  return text.toWellFormed().replaceAll(hidden, codePoints);
}

/**
 * `text` as {@linkcode escapeInvisible} has it, with everything written out that changes how its neighbours are
 * seen, too: letters that are written from right to left, marks that enclose or strike through, marks on
 * nothing, more than two marks on one character. Long runs of spaces are counted.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(spelledOut(`a\u0338${" ".repeat(300)}\u05d0`), "a\\u{338}\\u{20}{300}\\u{5d0}");
 * ```
 */
export function spelledOut(text: string): string {
  return escapeInvisible(text).replaceAll(misleading, codePoints)
    .replaceAll(longBlank, (run) => `\\u{20}{${run.length}}`);
}

function codePoints(characters: string): string {
  return Array.from(characters, (each) => `\\u{${each.codePointAt(0)!.toString(16)}}`).join("");
}

/** `text` with its control characters written out: it is one line and moves no terminal's cursor. */
export function visible(text: string): string {
  // deno-lint-ignore no-control-regex
  return text.replace(/[\x00-\x1f\x7f-\x9f]/g, (character) => {
    return `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
  });
}

/** The same of a text that may have several lines and tabs. */
export function harmless(text: string): string {
  return text.replace(/[^\t\n]+/g, visible);
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

/** Unicode's other characters, what may be left out of a rendering, separators but the space, blanks. */
const hidden =
  /[\p{C}\p{Zl}\p{Zp}\p{DI}\u2800\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\u{fe00}-\u{fe0f}\u{e0100}-\u{e01ef}]/gu;

/**
 * The blocks that Unicode's DerivedBidiClass.txt has from right to left; marks that enclose or strike
 * through; marks on nothing, and those beyond the second on one character.
 */
const misleading =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]|[\p{Me}\u0334-\u0338\u20d2\u20d3\u20d8-\u20da\u20e5\u20e6\u20ea\u20eb]|(?<![\p{L}\p{N}\p{M}])\p{M}|(?<=\p{M}{2})\p{M}/gu;

/** Spaces that a reader would take for the end of a text; indented lines have fewer. */
const longBlank = / {9,}/g;

/** `value` as JSON without control characters; it reads back as it was. */
export function jsonWithoutControls(value: unknown): string {
  // JSON itself escapes those below the space
  return JSON.stringify(value).replaceAll(/[\x7f-\x9f]/g, (character) => {
    return `\\u00${character.charCodeAt(0).toString(16)}`;
  });
}

/**
 * Characters that people do not see, or that change the order of what they see: Unicode's controls, marks
 * of format, separators of lines, what may be left out of a rendering, and a blank that is none by name. The
 * marks in an emoji are for nobody.
 */
const unseen = /(?![\t\n\r\ufe0f\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}\u2800]/gu;

/** The characters of `text` that are not seen. */
export function hiddenCharacters(text: string): IteratorObject<string> {
  return text.matchAll(unseen).map(([character]) => character);
}

/** `text` with the characters that are not seen written out. */
export function showHidden(text: string): string {
  return text.replace(unseen, (character) => `⟨${codeOf(character)}⟩`);
}

/** The name of a character, such as `U+202E`. */
export function codeOf(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
}
