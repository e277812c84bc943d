/**
 * A query as the index understands it: clauses, each a word with what may stand for it.
 */

import type { CatalogueIndex } from "./_catalogue_index.ts";
import type { RankingParameters } from "./_parameters.ts";
import { type Phrase, readSentences } from "./_sentences.ts";
import type { Synonyms } from "./_synonyms.ts";
import { isUnspaced, separateCamelCase, splitWords } from "./_terms.ts";

/** So many unknown words are corrected; each costs a pass over the vocabulary. */
const mostCorrected = 8;

/** A term that may stand for a word of the query. */
export interface Alternative {
  readonly term: number;
  /** What it counts in a tool's text, beside 1 for the word itself. */
  readonly weight: number;
  /** What it counts in a tool's name. */
  readonly weightInName: number;
}

/** One word of the query that the catalogue knows something about. */
export interface Clause {
  readonly weight: number;
  /** At least one; the word itself first if the catalogue has it. */
  readonly alternatives: readonly Alternative[];
  /** What a tool that has one of these gets toward the query's `required`. */
  readonly hits: number;
}

/** A query, read. */
export interface Query {
  readonly clauses: readonly Clause[];
  /** The hits without which a tool is no match. */
  readonly required: number;
  /** Every word in order, stop words included. */
  readonly words: readonly string[];
  /** The clauses of the words in order, without stop words and unknown words. */
  readonly order: readonly number[];
  readonly sentenceCount: number;
}

/** What a query is read against. */
export interface QueryContext {
  readonly index: CatalogueIndex;
  readonly synonyms: Synonyms;
  readonly parameters: RankingParameters;
  /** Whether only tools of one owner are searched. */
  readonly withinOwner: boolean;
}

/** Reads `text`, which the caller has cut to a sensible length. */
export function readQuery(text: string, context: QueryContext): Query {
  const sentences = readSentences(text, context.parameters);
  const phrases = sentences.flat();
  const clauses = new ClauseList(context);
  for (const phrase of phrases) addPhrase(clauses, phrase, context);
  const words = phrases.flatMap((phrase) => phrase.map(({ word }) => word));
  // Who asks only for stop words means them.
  if (clauses.clauses.length === 0) words.forEach((word) => clauses.add(word, 1));
  const isOneToken = !/\s/.test(text.trim()) && !isUnspaced(text);
  const telling = phrases.flat().filter(({ isStopWord }) => !isStopWord);
  return {
    required: isOneToken ? requireWhole(clauses, splitWords(separateCamelCase(text))) : 0,
    clauses: clauses.clauses,
    words,
    order: telling.flatMap(({ word }) => clauses.find(word) ?? []),
    sentenceCount: sentences.length,
  };
}

function addPhrase(clauses: ClauseList, phrase: Phrase, { index, parameters }: QueryContext) {
  phrase.forEach(({ word, weight, isStopWord }, place) => {
    const next = phrase[place + 1];
    if (
      parameters.joining && next && canJoin(word, next.word) && !(isStopWord && next.isStopWord)
    ) {
      const joined = word + next.word;
      if (index.vocabulary.find(joined) !== undefined) clauses.add(joined, weight);
    }
    if (!isStopWord) clauses.add(word, weight);
  });
}

/** Single letters are values, or what is left of a word: "directories a b c". */
function canJoin(...words: readonly string[]): boolean {
  return words.every((word) => word.length > 1);
}

/**
 * Makes a query without spaces (`git_commit`) match as one word: by all of its parts, or joined.
 * Gives the hits to require.
 */
function requireWhole(clauses: ClauseList, parts: readonly string[]): number {
  const required = clauses.countTerms(parts);
  for (const part of parts) clauses.add(part, 1, 1);
  clauses.raise(parts.join(""), required);
  return required;
}

/** Clauses by term: a word that is repeated counts once, at its greatest weight. */
class ClauseList {
  readonly clauses: Clause[] = [];
  readonly #context: QueryContext;
  readonly #numbers = new Map<string, number | undefined>();
  #corrected = 0;

  constructor(context: QueryContext) {
    this.#context = context;
  }

  find(word: string): number | undefined {
    return this.#numbers.get(this.#context.index.vocabulary.toTerm(word));
  }

  countTerms(words: readonly string[]): number {
    return new Set(words.map((word) => this.#context.index.vocabulary.toTerm(word))).size;
  }

  /** Adds a clause for `word` if anything in the catalogue can stand for it. */
  add(word: string, weight: number, hits = 0): void {
    const term = this.#context.index.vocabulary.toTerm(word);
    if (!this.#numbers.has(term)) {
      const alternatives = this.#alternatives(word);
      const isKnown = alternatives.length > 0;
      const number = isKnown ? this.clauses.push({ weight, alternatives, hits }) - 1 : undefined;
      this.#numbers.set(term, number);
    }
    this.raise(word, hits, weight);
  }

  /** Raises the word's clause, if there is one, to at least these hits and this weight. */
  raise(word: string, hits: number, weight = 0): void {
    const number = this.find(word);
    if (number === undefined) return;
    const clause = this.clauses[number]!;
    this.clauses[number] = {
      ...clause,
      hits: Math.max(clause.hits, hits),
      weight: Math.max(clause.weight, weight),
    };
  }

  #alternatives(word: string): Alternative[] {
    const { index: { vocabulary }, synonyms, parameters, withinOwner } = this.#context;
    const own = vocabulary.find(word);
    const alternatives: Alternative[] = [];
    if (own !== undefined) alternatives.push({ term: own, weight: 1, weightInName: 1 });
    const weight = withinOwner ? parameters.synonymWithinOwner : parameters.synonym;
    const weightInName = parameters.synonymInName;
    if (weight > 0) {
      for (const synonym of synonyms.get(vocabulary.toTerm(word)) ?? []) {
        const term = vocabulary.find(synonym);
        if (term !== undefined) alternatives.push({ term, weight, weightInName });
      }
    }
    if (own === undefined) alternatives.push(...this.#corrections(word));
    return alternatives;
  }

  #corrections(word: string): Alternative[] {
    const { index: { vocabulary }, parameters: { misspelling } } = this.#context;
    if (misspelling === 0 || this.#corrected++ >= mostCorrected) return [];
    const similar = vocabulary.findSimilar(word);
    return similar.map((term) => ({ term, weight: misspelling, weightInName: misspelling }));
  }
}
