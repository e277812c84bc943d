/** Splits text into words and words into terms, the same way for the index and for queries. */

import { stemmer } from "stemmer";
import { stopWords } from "./stop_words.ts";

/** Scripts without spaces, read as pairs of characters. */
const unspaced = String
  .raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`;
const unspacedRun = new RegExp(`^[${unspaced}]`, "v");
const wordRuns = new RegExp(`[${unspaced}]+|[[\\p{L}\\p{N}\\p{M}]--[${unspaced}]]+`, "gv");
const asciiRuns = /[A-Za-z0-9]+/g;
// deno-lint-ignore no-control-regex -- the pattern matches ASCII only
const asciiOnly = /^[\x00-\x7f]*$/;
const camelSeam = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})/;
/** Matches when there is a seam at all, which is faster than lookbehind. */
const camelCase = /[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2}/;
/** Longer runs of letters are not English words. */
const stemmable = /^[a-z]{3,40}$/;

/**
 * The lower-cased words of `text`, in order.
 *
 * A word ends at every character that is not a letter, digit or mark, so also at `_`, `-` and `.`. A
 * camelCase word gives its parts and then itself. Scripts without spaces give character bigrams.
 */
export function splitWords(text: string): string[] {
  if (asciiOnly.test(text)) {
    // Nearly all text: a whole catalogue is read at start-up.
    if (!camelCase.test(text)) return text.toLowerCase().match(asciiRuns) ?? [];
    return text.match(asciiRuns)!.flatMap(splitCamelCase);
  }
  const runs = text.normalize("NFKC").match(wordRuns) ?? [];
  return runs.flatMap((run) => unspacedRun.test(run) ? bigrams(run) : splitCamelCase(run));
}

/** Puts a space at each seam of the camelCase words in `text`, so that only their parts are words. */
export function separateCamelCase(text: string): string {
  return text.split(camelSeam).join(" ");
}

/** True when `text` has characters of a script that is written without spaces. */
export function isUnspaced(text: string): boolean {
  return (text.match(wordRuns) ?? []).some((run) => unspacedRun.test(run));
}

/** The index term of a lower-cased word: its Porter stem, if it is English and no stop word. */
export function toTerm(word: string): string {
  return stemmable.test(word) && !stopWords.has(word) ? stemmer(word) : word;
}

function splitCamelCase(run: string): string[] {
  const parts = run.split(camelSeam);
  const joined = run.toLowerCase();
  return parts.length === 1 ? [joined] : [...parts.map((part) => part.toLowerCase()), joined];
}

function bigrams(run: string): string[] {
  const characters = [...run];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => characters[index] + character);
}
