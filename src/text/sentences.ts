/** Reads a query as sentences, each of a phrase and its asides. Knows nothing of the catalogue. */

import { splitWords } from "./words.ts";

const sentenceEnd = /(?<=[.?!。？！])(?<!\b(?:e\.g|i\.e|vs)\.)\s+|\n+/;

/** What is left of a word after an apostrophe: "I'd" is not to be read as "id". */
const contractions = /(?<=\p{L})(?:n['’]t|['’](?:s|d|m|re|ve|ll))(?!\p{L})/giu;

/** URLs, mail addresses, quoted values and parentheses: details and values more than intent. */
const asides =
  /\b[a-z]{2,10}:\/\/\S+|\S{1,64}@\S+\.\S+|(?<![\p{L}\p{N}])'[^']{1,60}'(?![\p{L}\p{N}])|"[^"]{1,60}"|`[^`]{1,60}`|\([^()]*\)/giu;

/** A stretch of a sentence. */
export interface Phrase {
  readonly words: readonly string[];
  readonly isAside: boolean;
}

/** Splits a query at sentence ends, each sentence into its plain words and its asides. */
export function readSentences(query: string): Phrase[][] {
  return query.replace(contractions, "").split(sentenceEnd).map((sentence) => [
    { words: splitWords(sentence.replace(asides, " ")), isAside: false },
    ...(sentence.match(asides) ?? []).map((text) => ({ words: splitWords(text), isAside: true })),
  ]);
}
