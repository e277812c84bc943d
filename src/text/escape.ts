/** Escapes texts that a stranger may have written, so that the person or agent who reads them is not misled. */

import { stripControlSequences } from "./control_sequences.ts";

/**
 * Escapes all characters that are invisible or change how their neighbours look (control characters, marks of
 * direction, zero-width spaces, line ends), so that no command line can look like another command line.
 */
export function escapeInvisible(text: string): string {
  return text.toWellFormed().replaceAll(hidden, codePoints);
}

export function spellOut(text: string): string {
  // Most texts are ASCII and need no patterns of Unicode letters, which take long to compile
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

/** Escapes control characters, so that `text` is one line and moves no cursor of a terminal. */
export function visible(text: string): string {
  // deno-lint-ignore no-control-regex
  return text.replace(/[\x00-\x1f\x7f-\x9f]/g, (character) => {
    return `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
  });
}

/** Escapes control characters and invisible characters, except tabs and line feeds. */
export function harmless(text: string): string {
  // Most texts are ASCII and need no patterns of invisible characters, which take long to compile
  if (/^[\t\n\x20-\x7e]*$/.test(text)) return text;
  return showHidden(text.replace(/[^\t\n]+/g, visible));
}

/** The most lines that a person is taken to see at once. The lines of a longer text are counted for the person. */
const screenLines = 24;

/**
 * Formats a stranger's text for a person who may accept the text, so that no line is overlooked: invisible characters
 * are escaped; long runs of blanks, empty lines, and the lines of a long text are counted.
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

/** Returns whether `text` can be a name: one line, without characters that people do not see. */
export function isVisible(text: string): boolean {
  return harmless(text) === text && !/[\t\n]/.test(text);
}

export const visibleName = "expected a name without control and invisible characters";

/** Turns `text` into one line: line ends become spaces, and invisible characters are removed. */
export function inOneLine(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text.replaceAll(/ +/g, " ").trim();
  const words = stripControlSequences(text.replaceAll(/[\s\x85]/g, " ")).toWellFormed();
  return words.replaceAll(hidden, "").replaceAll(/ +/g, " ").trim();
}

export function jsonInOneLine(value: unknown): string {
  return (JSON.stringify(value) ?? "null").replaceAll(hidden, unicodeEscapes);
}

function unicodeEscapes(characters: string): string {
  const units = Array.from(characters.split(""), (unit) => unit.charCodeAt(0));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

/** Matches characters that are invisible or look blank, except the space itself. */
const hidden =
  /[\p{C}\p{Zl}\p{Zp}\p{DI}\u2800\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\u{fe00}-\u{fe0f}\u{e0100}-\u{e01ef}]/gu;

/** Matches accents that mislead: those that strike out or enclose a letter, stand alone, or follow two others. */
const misleading =
  /[\p{Me}\u0334-\u0338\u20d2\u20d3\u20d8-\u20da\u20e5\u20e6\u20ea\u20eb]|(?<![\p{L}\p{N}\p{M}])\p{M}|(?<=\p{M}{2})\p{M}/gu;

const latin = /^[A-Za-zÆÐØÞßæðøþĐđĦħŁłŊŋŒœŦŧ]/;

const languages = [
  String.raw`[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}\p{sc=Zinh}]+`,
  String.raw`[\p{scx=Hani}\p{scx=Hang}\p{sc=Zinh}]+`,
  ...["Cyrl", "Grek"].map((script) => String.raw`[\p{scx=${script}}\p{sc=Zinh}]+`),
  ...[
    ...["Arab", "Armn", "Beng", "Deva", "Ethi", "Geor", "Gujr", "Guru", "Hebr", "Khmr", "Knda"],
    ...["Laoo", "Mlym", "Mymr", "Orya", "Sinh", "Taml", "Telu", "Thaa", "Thai", "Tibt"],
  ].map((script) => String.raw`[\p{scx=${script}}\p{sc=Zinh}]{2,}`),
];

/** Matches a word of one of the {@linkcode languages}. It takes long to compile, and is compiled when first needed. */
let language: RegExp | undefined;

const eastAsian = /^[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}]/u;

const twins =
  /^[\p{M}асеһіјӏорԛѕухүԁԝѵАВСЕԌНІЈКӀМОРԚЅТУХҮԜѴαγικνορσυχϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹͿցհոսօզՕՏՍωլዐ丨ㅣー一二ノ]+$/u;

/** Matches the host of a URL. In hosts all letters but ASCII are escaped, since one may lead to another site. */
const host = /:\/\/[^\s/?#"']+/g;

const likeAscii =
  /[\p{N}\u2000-\u24ff\u2716\u2795-\u2797\ufe10-\ufe6f\uff00-\uffef\u{1f100}-\u{1f1ff}]/gu;

const noPicture = new RegExp(String.raw`${likeAscii.source}|\P{ExtPict}`, "gu");

const rightWord = String
  .raw`[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]+`;

const rightToLeft = new RegExp(String.raw`(${rightWord}(?: ${rightWord})*)([^\p{L}\p{N}]*)`, "gu");

/** Matches so many spaces that a reader could think that the text ends. */
const longBlank = / {9,}/g;

/** Formats `value` as JSON without control characters; parsing it returns the same value. */
export function jsonWithoutControls(value: unknown): string {
  return JSON.stringify(value).replaceAll(/[\x7f-\x9f]/g, unicodeEscapes);
}

/** Matches characters that people do not see or that reorder text, except those that are parts of emoji. */
const unseen = /(?![\t\n\r\ufe0f\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}\u2800]/gu;

/** Escapes the invisible characters of JSON; the value of the JSON stays the same. */
export function escapeJson(json: string): string {
  if (/^[\t\n\r\x20-\x7e]*$/.test(json)) return json;
  return json.replace(unseen, unicodeEscapes);
}

export function findHidden(text: string): IteratorObject<string> {
  return text.matchAll(unseen).map(([character]) => character);
}

/** Makes invisible characters visible, such as `⟨U+202E⟩`. */
export function showHidden(text: string): string {
  return text.replace(unseen, (character) => `⟨${codeOf(character)}⟩`);
}

export function codeOf(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
}
