/** Escapes texts of unknown origin for a person or an agent who decides by them. */

import { stripControlSequences } from "./control_sequences.ts";

/**
 * Escapes everything in `text` that is invisible or changes how its neighbours look: control characters,
 * marks of direction, spaces without width, line ends. So no command line can look like another.
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
 * Escapes like {@linkcode escapeInvisible}, and also letters that are written from right to left, marks
 * that enclose or strike through, marks on nothing, more than two marks on one character, and what looks like
 * ASCII: letters of other alphabets beside ASCII letters in a word, or with a twin each; signs beside any. Long runs of
 * spaces are counted.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(spellOut(`a\u0338${" ".repeat(300)}\u05d0`), "a\\u{338}\\u{20}{300}\\u{5d0}");
 * ```
 */
export function spellOut(text: string): string {
  return escapeInvisible(text).replaceAll(misleading, codePoints)
    .replaceAll(/[\p{L}\p{M}\p{Nl}]+/gu, (word) => {
      return /[A-Za-z]/.test(word) || twins.test(word) ? word.replaceAll(alike, codePoints) : word;
    })
    .replaceAll(alikeSigns, codePoints)
    .replaceAll(longBlank, (run) => `\\u{20}{${run.length}}`);
}

function codePoints(characters: string): string {
  return Array.from(characters, (each) => `\\u{${each.codePointAt(0)!.toString(16)}}`).join("");
}

/** Escapes the control characters of `text`: the result is one line and moves no terminal's cursor. */
export function visible(text: string): string {
  // deno-lint-ignore no-control-regex
  return text.replace(/[\x00-\x1f\x7f-\x9f]/g, (character) => {
    return `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
  });
}

/**
 * Escapes like {@linkcode visible} and {@linkcode showHidden}, in a text that may have several lines and tabs.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(harmless("a\x1b[8m\n\u202eb"), "a\\x1b[8m\n⟨U+202E⟩b");
 * ```
 */
export function harmless(text: string): string {
  // Nearly all text: the classes of invisible characters take long to compile
  if (/^[\t\n\x20-\x7e]*$/.test(text)) return text;
  return showHidden(text.replace(/[^\t\n]+/g, visible));
}

/** Whether `text` can be a name: in one line, with nothing that people do not see. */
export function isVisible(text: string): boolean {
  return harmless(text) === text && !/[\t\n]/.test(text);
}

/** What a name is that is not {@linkcode isVisible}. */
export const visibleName = "expected a name without control and invisible characters";

/** Turns `text` into one line: line ends become spaces, and invisible characters are removed. */
export function inOneLine(text: string): string {
  // Nearly all text: the classes of invisible characters take long to compile
  if (/^[\x20-\x7e]*$/.test(text)) return text.replaceAll(/ +/g, " ").trim();
  const words = stripControlSequences(text.replaceAll(/[\s\x85]/g, " ")).toWellFormed();
  return words.replaceAll(hidden, "").replaceAll(/ +/g, " ").trim();
}

/**
 * Formats `value` as JSON in one line with invisible characters escaped; parsing it returns the same value.
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

/** Unicode's other characters, default ignorable characters, separators but the space, blanks. */
const hidden =
  /[\p{C}\p{Zl}\p{Zp}\p{DI}\u2800\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\u{fe00}-\u{fe0f}\u{e0100}-\u{e01ef}]/gu;

/**
 * The blocks with right-to-left characters by Unicode's DerivedBidiClass.txt; marks that enclose or strike
 * through; marks on nothing, and from the third on one character.
 */
const misleading =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]|[\p{Me}\u0334-\u0338\u20d2\u20d3\u20d8-\u20da\u20e5\u20e6\u20ea\u20eb]|(?<![\p{L}\p{N}\p{M}])\p{M}|(?<=\p{M}{2})\p{M}/gu;

/** Letters of which some look like those of ASCII: other alphabets, phonetic letters, wide ones, Roman numbers. */
const alike =
  /[\p{sc=Cyrl}\p{sc=Grek}\p{sc=Armn}\p{sc=Cher}\p{sc=Copt}\p{sc=Lisu}\u0131\u0237\u0250-\u02ff\u1d00-\u1dbf\u2c60-\u2c7f\ua720-\ua7ff\uab30-\uab6f\u2100-\u2188\uff21-\uff5a]/gu;

/** Words that may be read as ASCII: each letter looks like one. Of the last alphabets and ranges, that is most of them. */
const twins =
  /^[\p{M}асеһіјӏорԛѕухүԁԝѵАВСЕԌНІЈКӀМОРԚЅТУХҮԜѴαγικνορσυχϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹͿցհոսօզՕՏՍ\p{sc=Cher}\p{sc=Copt}\p{sc=Lisu}\u0131\u0237\u0250-\u02ff\u1d00-\u1dbf\u2100-\u2188\uff21-\uff5a]+$/u;

/** Letters of mathematics, and signs that look like those of command lines: hyphens, slashes, dots, quotes. */
const alikeSigns =
  /[\u{1d400}-\u{1d7ff}]|(?<=[\s\w'"]|^)[\u2010-\u2012\u2212\u2024\u2044\u2215\u037e\ufe52\ufe63\uff0d-\uff0f](?=\w)/gu;

/** Spaces that a reader could take for the end of a text; indented lines have fewer. */
const longBlank = / {9,}/g;

/** Formats `value` as JSON without control characters; parsing it returns the same value. */
export function jsonWithoutControls(value: unknown): string {
  // JSON itself escapes those below the space
  return JSON.stringify(value).replaceAll(/[\x7f-\x9f]/g, (character) => {
    return `\\u00${character.charCodeAt(0).toString(16)}`;
  });
}

/**
 * Characters that people do not see, or that change the order of what they see: control characters, format
 * characters, line separators, default ignorable characters, and the braille blank. Those that emoji
 * contain are allowed.
 */
const unseen = /(?![\t\n\r\ufe0f\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}\u2800]/gu;

/** Escapes the invisible characters of a text of JSON, which means the same then. */
export function escapeJson(json: string): string {
  return json.replace(unseen, (character) => {
    return Array.from(character.split(""), (unit) => {
      return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
    }).join("");
  });
}

/** The invisible characters of `text`. */
export function findHidden(text: string): IteratorObject<string> {
  return text.matchAll(unseen).map(([character]) => character);
}

/** Escapes the invisible characters of `text` by name. */
export function showHidden(text: string): string {
  return text.replace(unseen, (character) => `⟨${codeOf(character)}⟩`);
}

/** The name of a character, such as `U+202E`. */
export function codeOf(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
}
