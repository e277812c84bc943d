/** Splits text into words and words into terms, the same way for the index and for queries. */

import { stemmer } from "stemmer";
import { stopWords } from "./stop_words.ts";

/** Matches scripts that have no spaces, whose text is read as pairs of characters. */
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
/** Matches the accents of Latin letters, which people leave out. */
const accents = /(?<=\p{Script=Latin})\p{M}+/gu;
/** Replaces British endings by American ones, and endings of nouns by those of verbs, where stemming does not. */
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
/** Every word that {@linkcode spellings} changes matches this. */
const respelled = /[iy]s|our|tre|ence|ogue|ion|ement/;
/** Longer runs of letters are not English words. */
const stemmable = /^[a-z]{3,40}$/;

/**
 * Returns the lower-cased words of `text`, in order.
 *
 * A word ends at every character that is not a letter, digit or mark, so also at `_`, `-` and `.`. A
 * camelCase word gives its parts and then itself. Scripts without spaces give character bigrams.
 */
export function splitWords(text: string): string[] {
  if (asciiOnly.test(text)) {
    // Nearly all text is of this kind, and a whole catalogue is read at start-up.
    if (!camelCase.test(text)) return text.toLowerCase().match(asciiRuns) ?? [];
    return text.match(asciiRuns)!.flatMap(splitCamelCase);
  }
  const plain = text.normalize("NFKD").replace(accents, "").normalize("NFKC");
  const runs = plain.match(wordRuns) ?? [];
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

/** Returns the index term of a lower-cased word: its Porter stem, if it is English and no stop word. */
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

/** Shorter words are not split. */
const minCompoundLength = 8;
/** Longer words are not split into their parts: people write no longer compounds. */
const maxCompoundLength = 60;
/** Shorter words do not count as parts: too many words split into them by chance. */
const minPartLength = 3;
/** Returns the fewest parts that together spell `word` and satisfy `isWord`; an empty list if there are none. */
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
