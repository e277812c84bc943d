/** Splits texts and queries into words, and reduces each word to its stem (a term), so that both match. */

import { stemmer } from "stemmer";
import { stopWords } from "./stop_words.ts";

/** Matches characters of languages without spaces between words. Their texts are split into pairs of characters. */
const unspaced = String
  .raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`;
const unspacedRun = new RegExp(`^[${unspaced}]`, "v");
const wordRuns = new RegExp(`[${unspaced}]+|[[\\p{L}\\p{N}\\p{M}]--[${unspaced}]]+`, "gv");
const asciiRuns = /[A-Za-z0-9]+/g;
// deno-lint-ignore no-control-regex -- the pattern matches ASCII only
const asciiOnly = /^[\x00-\x7f]*$/;
const camelSeam = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})/;
/** Matches a camelCase word. This pattern is fast, so {@linkcode camelSeam}, which is slow, is used only after it. */
const camelCase = /[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2}/;
const accents = /(?<=\p{Script=Latin})\p{M}+/gu;
/** Turns British endings into American ones, and nouns such as `creation` into the verb `create`. */
const spellings: readonly (readonly [ending: RegExp, plain: string])[] = [
  [/is(e[drs]?|ing|ations?)$/, "iz$1"],
  [/ys(e[drs]?|ing)$/, "yz$1"],
  [/(?<=\w{3})our(ed|ing|ites?|s)?$/, "or$1"],
  [/(?<=cent|met|theat)re(s?)$/, "er$1"],
  [/(?<=lic|def|off)ence(s?)$/, "ense$1"],
  [/(?<=\w{3})ogue(s?)$/, "og$1"],
  [/ifications?$/, "ify"],
  [/(?<=^(?:re)?creat|duplicat)ions?$/, "e"],
  [/(?<=compar)isons?$/, "e"],
  [/(?<=con|in|re)versions?$/, "vert"],
  [/(?<=inclu|exclu|divi)sions?$/, "de"],
  [/(?<=expan)sions?$/, "d"],
  [/(?<=(?:sub|tran)scri)ptions?$/, "be"],
  [/(?<=mov)ements?$/, "e"],
  [/^additions?$/, "add"],
  [/^analysis$/, "analyze"],
];
const respelled = /[iy]s|our|tre|ence|ogue|ion|ement/;
/** Matches the words that the Porter stemmer can treat: ASCII letters, and no more of them than an English word has. */
const stemmable = /^[a-z]{3,40}$/;

/**
 * Returns the lower-cased words of `text` in order; `_` ends a word. A camelCase word gives its parts and then itself.
 * Text of a language without spaces gives pairs of characters.
 */
export function splitWords(text: string): string[] {
  if (asciiOnly.test(text)) {
    if (!camelCase.test(text)) return text.toLowerCase().match(asciiRuns) ?? [];
    return text.match(asciiRuns)!.flatMap(splitCamelCase);
  }
  const plain = text.normalize("NFKD").replace(accents, "").normalize("NFKC");
  const runs = plain.match(wordRuns) ?? [];
  return runs.flatMap((run) => unspacedRun.test(run) ? bigrams(run) : splitCamelCase(run));
}

export function separateCamelCase(text: string): string {
  return text.split(camelSeam).join(" ");
}

export function isUnspaced(text: string): boolean {
  return (text.match(wordRuns) ?? []).some((run) => unspacedRun.test(run));
}

/** Returns the Porter stem of a lower-cased word; a stop word or a foreign word is returned unchanged. */
export function toTerm(word: string): string {
  return stemmable.test(word) && !stopWords.has(word) ? stemmer(plainSpelling(word)) : word;
}

/** Returns `word` as Americans spell it, and as a verb: `creation` becomes `create`. */
export function plainSpelling(word: string): string {
  const known = respelled.test(word) && spellings.find(([ending]) => ending.test(word));
  return known ? word.replace(...known) : word;
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

/** A compound such as `getrandomimage` is split into words only if its letters are at least 8 and at most 60. */
const [minCompoundLength, maxCompoundLength] = [8, 60];
/** A part of a compound has at least this many letters: shorter words occur in most words by chance. */
const minPartLength = 3;

/** Returns the fewest parts that spell `word` and satisfy `isWord`; an empty list if `word` has no such parts. */
export function splitCompound(word: string, isWord: (text: string) => boolean): string[] {
  if (word.length < minCompoundLength || word.length > maxCompoundLength) return [];
  const best: (string[] | undefined)[] = [[]];
  for (let end = minPartLength; end <= word.length; end++) {
    for (let start = 0; start <= end - minPartLength; start++) {
      const before = best[start];
      if (before === undefined || before.length + 1 >= (best[end]?.length ?? Infinity)) continue;
      const part = word.slice(start, end);
      if (part !== word && isWord(part)) best[end] = [...before, part];
    }
  }
  return best[word.length] ?? [];
}
