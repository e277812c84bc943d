/** Escapes texts of unknown origin for a person or an agent who decides by them. */

import { stripControlSequences } from "./control_sequences.ts";

/**
 * Escapes all characters that are invisible or change how their neighbours look (control characters, marks of
 * direction, zero-width spaces, line ends), so that no command line can look like another one.
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
 * Escapes as {@linkcode escapeInvisible} does, and characters that could pass for others. ASCII, Latin letters, emoji,
 * whole words of one script and signs within Chinese, Japanese and Korean stay. Right-to-left words stay if they do not
 * reorder other text. Long runs of spaces are counted.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(spellOut(`a\u0338${" ".repeat(300)}\u05d0`), "a\\u{338}\\u{20}{300}\\u{5d0}");
 * assert.equal(spellOut("g\u0456t \u0444\u0430\u0439\u043b"), "g\\u{456}t \u0444\u0430\u0439\u043b");
 * ```
 */
export function spellOut(text: string): string {
  // Nearly all text is ASCII, and the classes of letters below take long to compile
  if (/^[\x20-\x7e]*$/.test(text)) return countBlanks(text);
  const words = escapeInvisible(text).replaceAll(misleading, codePoints)
    .replaceAll(host, (name) => name.replaceAll(/[^\0-\x7f]/gu, codePoints))
    .replaceAll(/[\p{L}\p{M}]+|[^\p{L}\p{M}\0-\x7f]+/gu, (run, at, whole) => {
      if (/^[\p{L}\p{M}]/u.test(run)) return spellWord(run);
      const isWithin = [whole.charAt(at - 1), whole.charAt(at + run.length)]
        .some((beside) => eastAsian.test(beside));
      return run.replaceAll(isWithin ? likeAscii : noPicture, codePoints);
    });
  return countBlanks(words.replaceAll(rightToLeft, (run, phrase, _gap, at, whole) => {
    const next = whole.charAt(at + run.length);
    const rest = run.slice(phrase.length);
    return next === "" || /[A-Za-z]/.test(next) ? run : codePoints(phrase) + rest;
  }));
}

function countBlanks(text: string): string {
  return text.replaceAll(longBlank, (run) => `\\u{20}{${run.length}}`);
}

function spellWord(word: string): string {
  language ??= new RegExp(`^(?=\\p{L})(?:${languages.join("|")})$`, "u");
  if (language.test(word) && !twins.test(word)) return word;
  return word.replaceAll(/\P{M}\p{M}*|\p{M}/gu, (letter) => {
    const composed = letter.normalize("NFC");
    const decomposed = letter.normalize("NFD");
    // KELVIN SIGN looks like the letter K, so only letters that normalization leaves alone are kept
    const isOne = (letter === composed || letter === decomposed) &&
      Array.from(composed).length === 1;
    if (isOne && latin.test(decomposed)) return letter;
    const [base = "", ...marks] = letter;
    return marks.length > 0 && /[A-Za-z]/.test(base)
      ? base + codePoints(marks.join(""))
      : codePoints(letter);
  });
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
  // Nearly all text is ASCII, and the classes of invisible characters take long to compile
  if (/^[\t\n\x20-\x7e]*$/.test(text)) return text;
  return showHidden(text.replace(/[^\t\n]+/g, visible));
}

/** A text with more lines does not fit on a screen. */
const screenLines = 24;

/**
 * Formats the lines of a stranger's text for a person who may accept it, so that none is overlooked: invisible
 * characters are escaped, and long runs of blanks, empty lines, and lines of a long text are counted.
 */
export function linesToAccept(text: string): string[] {
  const lines = text.replaceAll(/(?<=^|\n)(?:[^\S\n]*\n){4,}/g, (run) => {
    return `⟨${run.split("\n").length - 1} empty lines⟩\n`;
  }).split("\n").map((line) => {
    const shown = visible(showHidden(line)).replaceAll(
      /\s{40,}/g,
      (run) => `⟨${run.length} blanks⟩`,
    );
    return shown.trim() !== "" && inOneLine(shown) === "" ? escapeInvisible(line) : shown;
  });
  const count = text.split("\n").length;
  return count > screenLines ? [...lines, `⟨${count} lines in all⟩`] : lines;
}

/** Returns whether `text` can be a name: it has one line, and no character that people do not see. */
export function isVisible(text: string): boolean {
  return harmless(text) === text && !/[\t\n]/.test(text);
}

export const visibleName = "expected a name without control and invisible characters";

/** Turns `text` into one line: line ends become spaces, and invisible characters are removed. */
export function inOneLine(text: string): string {
  // Nearly all text is ASCII, and the classes of invisible characters take long to compile
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

/** Matches Unicode's control and default ignorable characters, separators but the space, and other blanks. */
const hidden =
  /[\p{C}\p{Zl}\p{Zp}\p{DI}\u2800\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\u{fe00}-\u{fe0f}\u{e0100}-\u{e01ef}]/gu;

/** Matches marks that enclose or strike a letter, marks on nothing, and from the third mark on one letter on. */
const misleading =
  /[\p{Me}\u0334-\u0338\u20d2\u20d3\u20d8-\u20da\u20e5\u20e6\u20ea\u20eb]|(?<![\p{L}\p{N}\p{M}])\p{M}|(?<=\p{M}{2})\p{M}/gu;

/** Matches a decomposed Latin letter: with an ASCII letter first, or one that Unicode does not decompose. */
const latin = /^[A-Za-zÆÐØÞßæðøþĐđĦħŁłŊŋŒœŦŧ]/;

/**
 * Patterns of words in the letters of one language: scripts that UAX #31 recommends (table 5), without Latin. Scripts
 * after Greek need two letters: one-letter words are rare there and often look like an ASCII letter.
 */
const languages = [
  String.raw`[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}\p{sc=Zinh}]+`,
  String.raw`[\p{scx=Hani}\p{scx=Hang}\p{sc=Zinh}]+`,
  ...["Cyrl", "Grek"].map((script) => String.raw`[\p{scx=${script}}\p{sc=Zinh}]+`),
  ...[
    ...["Arab", "Armn", "Beng", "Deva", "Ethi", "Geor", "Gujr", "Guru", "Hebr", "Khmr", "Knda"],
    ...["Laoo", "Mlym", "Mymr", "Orya", "Sinh", "Taml", "Telu", "Thaa", "Thai", "Tibt"],
  ].map((script) => String.raw`[\p{scx=${script}}\p{sc=Zinh}]{2,}`),
];

/** The joined {@linkcode languages}, compiled on demand because that takes long. */
let language: RegExp | undefined;

const eastAsian = /^[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}]/u;

/**
 * Matches words that can be read as ASCII, since each letter looks like an ASCII letter. Unicode has no such property;
 * these letters are from its list of confusable characters, pairs within one language only.
 */
const twins =
  /^[\p{M}асеһіјӏорԛѕухүԁԝѵАВСЕԌНІЈКӀМОРԚЅТУХҮԜѴαγικνορσυχϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹͿցհոսօզՕՏՍωլዐ丨ㅣー一二ノ]+$/u;

/** Matches the host of a URL, where one letter of another script would lead to another site. */
const host = /:\/\/[^\s/?#"']+/g;

/** Matches blocks of signs that look like ASCII: lines, quotes, operators, wide letters, numbers. */
const likeAscii =
  /[\p{N}\u2000-\u24ff\u2716\u2795-\u2797\ufe10-\ufe6f\uff00-\uffef\u{1f100}-\u{1f1ff}]/gu;

const noPicture = new RegExp(String.raw`${likeAscii.source}|\P{ExtPict}`, "gu");

const rightWord = String
  .raw`[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]+`;

/**
 * Matches words in right-to-left blocks (Unicode's DerivedBidiClass.txt) and the signs behind them. If an ASCII letter
 * or the end follows, they do not reorder other text.
 */
const rightToLeft = new RegExp(String.raw`(${rightWord}(?: ${rightWord})*)([^\p{L}\p{N}]*)`, "gu");

/** Matches so many spaces that a reader could think that the text ends there; indented lines have fewer. */
const longBlank = / {9,}/g;

/** Formats `value` as JSON without control characters; parsing it returns the same value. */
export function jsonWithoutControls(value: unknown): string {
  // JSON.stringify() escapes the control characters below U+0020 itself
  return JSON.stringify(value).replaceAll(/[\x7f-\x9f]/g, (character) => {
    return `\\u00${character.charCodeAt(0).toString(16)}`;
  });
}

/**
 * Matches characters that people do not see or that reorder what people see: control and format characters, line
 * separators, default ignorable ones, the braille blank. Characters that emoji contain are not matched.
 */
const unseen = /(?![\t\n\r\ufe0f\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}\u2800]/gu;

/** Escapes the invisible characters of JSON text, which means the same then. */
export function escapeJson(json: string): string {
  // Nearly all text is ASCII, and the classes of invisible characters take long to compile
  if (/^[\t\n\r\x20-\x7e]*$/.test(json)) return json;
  return json.replace(unseen, (character) => {
    return Array.from(character.split(""), (unit) => {
      return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
    }).join("");
  });
}

/** Returns the invisible characters of `text`. */
export function findHidden(text: string): IteratorObject<string> {
  return text.matchAll(unseen).map(([character]) => character);
}

/** Escapes the invisible characters of `text` by name. */
export function showHidden(text: string): string {
  return text.replace(unseen, (character) => `⟨${codeOf(character)}⟩`);
}

/** Returns the name of a character, such as `U+202E`. */
export function codeOf(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
}
