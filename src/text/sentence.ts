/** Cuts descriptions at the ends of their sentences. */

import { excerpt } from "./excerpt.ts";
import { splitWords } from "./words.ts";

/**
 * Returns the first sentence of `text`, in one line. It ends at a full stop, question or exclamation mark that is not
 * in parentheses, in a number or after an abbreviation; without one, at the end of the paragraph.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(firstSentence("Read a log, e.g. of git (see 1.5). Fails\nif it is missing."), "Read a log, e.g. of git (see 1.5).");
 * ```
 */
export function firstSentence(text: string): string {
  const [paragraph = ""] = text.trim().split(/\n\s*\n/);
  const line = paragraph.replaceAll(/\s+/g, " ");
  return line.slice(0, sentenceEnds(line)[0] ?? line.length);
}

/**
 * Returns the sentences of `text` that fit into `most` characters. A last sentence that ends with a colon is left out,
 * since the list that it announces is not part of the text.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(wholeSentences("Pairs to send. Their separator is one of:"), "Pairs to send.");
 * assert.equal(wholeSentences("One is short. Two is longer", 20), "One is short.");
 * assert.equal(wholeSentences("Separator:"), "Separator");
 * ```
 */
export function wholeSentences(text: string, most = Infinity): string {
  const isOpen = text.endsWith(":");
  if (text.length <= most && !isOpen) return text;
  const end = sentenceEnds(text).findLast((each) => each <= most && each < text.length);
  if (end !== undefined) return text.slice(0, end);
  return excerpt(isOpen ? text.slice(0, -1).trimEnd() : text, most);
}

function sentenceEnds(text: string): number[] {
  const ends: number[] = [];
  let open = 0;
  for (const { 0: found, index } of text.matchAll(/[()]|[.!?。！？](?=["')\]]?(?:\s|$))/g)) {
    if (found === "(") open++;
    else if (found === ")") open--;
    else {
      // Eight characters have room for the longest abbreviation and the character before it
      const before = text.slice(Math.max(0, index - 8), index + 1);
      const isShort = /(?:\b(?:e\.g|i\.e|vs|etc|cf|approx|no)|\s|\.)\.$/i.test(before);
      if (!isShort && open <= 0) ends.push(index + 1);
    }
  }
  return ends;
}

const sentenceEnd = /(?<=[.?!。？！])(?<!\b(?:e\.g|i\.e|vs)\.)\s+|\n+/;

/** Matches endings behind an apostrophe, which are removed so that "I'd" is not read as "id". */
const contractions = /(?<=\p{L})(?:n['’]t|['’](?:s|d|m|re|ve|ll))(?!\p{L})/giu;

/** Matches URLs, mail addresses, quoted values and parentheses: details of a query that do not say its intent. */
const asides =
  /\b[a-z]{2,10}:\/\/\S+|(?<!\S)[^\s@]{1,64}@[^\s.]+\.\S+|(?<![\p{L}\p{N}])'[^']{1,60}'(?![\p{L}\p{N}])|"[^"]{1,60}"|`[^`]{1,60}`|\([^()]*\)/giu;

/** Words of a sentence: its plain ones, or those of one aside (a URL, a quoted value, a parenthesis). */
export interface Phrase {
  readonly words: readonly string[];
  readonly isAside: boolean;
}

export function sentencesOf(query: string): string[] {
  return query.split(sentenceEnd);
}

/** Splits a query into sentences, and each of them into its plain words and its asides. */
export function readSentences(query: string): Phrase[][] {
  return sentencesOf(query.replace(contractions, "")).map((sentence) => [
    { words: splitWords(sentence.replace(asides, " ")), isAside: false },
    ...(sentence.match(asides) ?? []).map((text) => ({ words: splitWords(text), isAside: true })),
  ]);
}
