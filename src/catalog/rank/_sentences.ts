/**
 * Reads a query as sentences of words, each word with a weight for where it stands.
 *
 * People ask verb first, add detail in parentheses, and quote values: names, paths and addresses
 * that are rarely the catalogue's words. Knows nothing of the catalogue.
 */

import type { RankingParameters } from "./_parameters.ts";
import { stopWords } from "./_stop_words.ts";
import { splitWords } from "./_terms.ts";

const sentenceEnd = /(?<=[.?!。？！])(?<!\b(?:e\.g|i\.e|vs)\.)\s+|\n+/;
const asidePattern = /\([^()]*\)/g;
const quotePattern = /(?<![\p{L}\p{N}])'[^']{1,60}'(?![\p{L}\p{N}])|"[^"]{1,60}"|`[^`]{1,60}`/gu;
const addressPattern = /\b[a-z]{2,10}:\/\/\S+|\S{1,64}@\S+\.\S+/gi;

/** What is left of a word after an apostrophe: "I'd" is not to be read as "id". */
const contractions = /(?<=\p{L})(?:n['’]t|['’](?:s|d|m|re|ve|ll))(?!\p{L})/giu;

/** A word of a query. */
export interface QueryWord {
  readonly word: string;
  readonly weight: number;
  readonly isStopWord: boolean;
}

/** The words of a stretch of one sentence, in order. */
export type Phrase = readonly QueryWord[];

/** Splits a query at sentence ends, each sentence into its plain words and its asides. */
export function readSentences(query: string, parameters: RankingParameters): Phrase[][] {
  return query.replace(contractions, "").split(sentenceEnd).map((sentence) =>
    readSentence(sentence, parameters)
  );
}

function readSentence(sentence: string, parameters: RankingParameters): Phrase[] {
  const { literal, parenthesised } = parameters;
  const [withoutAddresses, addresses] = takeOut(sentence, addressPattern);
  const [withoutQuotes, quotes] = takeOut(withoutAddresses, quotePattern);
  const [plain, asides] = takeOut(withoutQuotes, asidePattern);
  return [
    readPhrase(plain, 1, parameters),
    ...asides.map((text) => readPhrase(text, parenthesised, parameters)),
    ...[...addresses, ...quotes].map((text) => readPhrase(text, literal, parameters)),
  ];
}

function takeOut(text: string, pattern: RegExp): [string, string[]] {
  return [text.replace(pattern, " "), text.match(pattern) ?? []];
}

function readPhrase(text: string, weight: number, parameters: RankingParameters): Phrase {
  const { dropStopWords, firstWord, decay } = parameters;
  let isFirst = true;
  return splitWords(text).map((word, place) => {
    const isStopWord = dropStopWords && stopWords.has(word);
    const emphasis = isFirst && !isStopWord ? 1 + firstWord : 1;
    if (!isStopWord) isFirst = false;
    const faded = Math.max(0.5, 1 / (1 + decay * place));
    return { word, weight: weight * emphasis * faded, isStopWord };
  });
}
