/** Splits descriptions and queries into sentences. */

import { excerpt } from "./excerpt.ts";
import { splitWords } from "./words.ts";

export function firstSentence(text: string): string {
  const [paragraph = ""] = text.trim().split(/\n\s*\n/);
  const line = paragraph.replaceAll(/\s+/g, " ");
  return line.slice(0, sentenceEnds(line)[0] ?? line.length);
}

/**
 * Returns the sentences of `text` that fit into `most` characters. A last sentence that ends with a colon is left out,
 * since the list behind the colon is not part of the text.
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
      const before = text.slice(Math.max(0, index - 8), index + 1);
      const isShort = /(?:\b(?:e\.g|i\.e|vs|etc|cf|approx|no)|\s|\.)\.$/i.test(before);
      if (!isShort && open <= 0) ends.push(index + 1);
    }
  }
  return ends;
}

const sentenceEnd = /(?<=[.?!。？！])(?<!\b(?:e\.g|i\.e|vs)\.)\s+|\n+/;

/** Matches "'d", "'s" and the like, which are removed from queries so that "I'd" is not read as "id". */
const contractions = /(?<=\p{L})(?:n['’]t|['’](?:s|d|m|re|ve|ll))(?!\p{L})/giu;

/** Matches URLs, mail addresses, quoted values and parentheses, which do not say what a query is about. */
const asides =
  /\b[a-z]{2,10}:\/\/\S+|(?<!\S)[^\s@]{1,64}@[^\s.]+\.\S+|(?<![\p{L}\p{N}])'[^']{1,60}'(?![\p{L}\p{N}])|"[^"]{1,60}"|`[^`]{1,60}`|\([^()]*\)/giu;

export interface Phrase {
  readonly words: readonly string[];
  readonly isAside: boolean;
}

export function sentencesOf(query: string): string[] {
  return query.split(sentenceEnd);
}

export function readSentences(query: string): Phrase[][] {
  return sentencesOf(query.replace(contractions, "")).map((sentence) => [
    { words: splitWords(sentence.replace(asides, " ")), isAside: false },
    ...(sentence.match(asides) ?? []).map((text) => ({ words: splitWords(text), isAside: true })),
  ]);
}
