/** Reads a query into clauses: its words, each with the terms of the index that may stand for it, such as synonyms. */

import type { CatalogueIndex } from "./_catalogue_index.ts";
import type { RankingParameters } from "./_parameters.ts";
import { countIn, idf, type Postings } from "./_postings.ts";
import {
  changeVerbs,
  genericVerbs,
  isPlural,
  questionWords,
  stopWords,
} from "../../text/stop_words.ts";
import type { Synonyms } from "../../text/synonyms.ts";
import {
  isUnspaced,
  plainSpelling,
  separateCamelCase,
  splitWords,
  toTerm,
} from "../../text/words.ts";
import { type Phrase, readSentences } from "../../text/sentence.ts";

/** At most this many unknown words of a query are corrected, since each is compared with all words of the catalogue. */
const maxCorrected = 8;

/** A query with at most this many words, not counting words such as "the", is short. */
const shortQuery = 7;

const synonymInName = 0.5;

export interface Alternative {
  readonly term: number;
  readonly weight: number;
  readonly weightInName: number;
}

/** A word of a query, with the terms of the index that may stand for it. */
export interface Clause {
  readonly word: string;
  readonly weight: number;
  readonly isPlural: boolean;
  readonly says: "little" | "something" | "much";
  readonly inDocuments: readonly Alternative[];
  readonly inOwners: readonly Alternative[];
  readonly hits: number;
}

export interface Query {
  readonly clauses: readonly Clause[];
  readonly unknown: readonly string[];
  /** Words in paths, options and other values of the query. */
  readonly values: ReadonlySet<string>;
  readonly required: number;
  readonly words: readonly string[];
  readonly sentenceCount: number;
  readonly isQuestion: boolean;
}

interface QueryContext {
  readonly index: CatalogueIndex;
  readonly synonyms: Synonyms;
  readonly parameters: RankingParameters;
}

export function readQuery(text: string, context: QueryContext): Query {
  const sentences = readSentences(text);
  const phrases = sentences.flat();
  const words = phrases.flatMap((phrase) => phrase.words);
  const telling = new Set(words.filter((word) => !stopWords.has(word)).map(toTerm)).size;
  const clauses = new ClauseList(context, telling);
  for (const phrase of phrases) clauses.addPhrase(phrase);
  const values = new Set(valuesIn(text));
  const isOneToken = !/\s/.test(text.trim()) && !isUnspaced(text);
  return {
    required: isOneToken ? clauses.requireWhole(splitWords(separateCamelCase(text))) : 1,
    clauses: clauses.distinctiveClauses(),
    unknown: clauses.unknownOf(phrases.flatMap(({ words, isAside }) => isAside ? [] : words))
      .filter((word) => !values.has(toTerm(word)) && !isName(word, text)),
    values,
    words,
    sentenceCount: sentences.length,
    isQuestion: questionWords.has(words[0] ?? "") || genericVerbs.has(words[0] ?? "") ||
      !asksForChange(words),
  };
}

/** Matches a word of a query that looks like a path, file name, option, assignment or identifier. */
const valueMark = /^[-.]|[\d/=*$<>|#@:_]|[\p{L}\p{N}]\.[\p{L}\p{N}]|^[a-z]+[A-Z]/u;

function valuesIn(text: string): string[] {
  const tokens = text.split(/\s+/).filter((token) => valueMark.test(token));
  return tokens.flatMap(splitWords).map(toTerm);
}

/** Returns whether `text` has the word with a capital, and not as its first word: then it most likely is a name. */
function isName(word: string, text: string): boolean {
  return text.includes(` ${word[0]!.toUpperCase()}${word.slice(1)}`);
}

function asksForChange(words: readonly string[]): boolean {
  return words.some((word, at) =>
    changeVerbs.has(plainSpelling(word)) && toTerm(words[at + 1] ?? "") !== "request"
  );
}

/** Collects the words of a query with their synonyms (clauses). A repeated word counts once, with the larger weight. */
class ClauseList {
  readonly clauses: Clause[] = [];
  readonly #context: QueryContext;
  /** The number of different words of the query, without stop words such as "the". */
  readonly #telling: number;
  readonly #isShort: boolean;
  readonly #numbers = new Map<string, number | undefined>();
  #corrected = 0;

  constructor(context: QueryContext, telling: number) {
    this.#context = context;
    this.#telling = telling;
    this.#isShort = telling <= shortQuery;
  }

  /**
   * Adds the words of a phrase, of which the first count more. Measured: 1 to 2% more queries to large catalogues find
   * the right tool among the first 5.
   */
  addPhrase({ words, isAside }: Phrase): void {
    const { index: { vocabulary }, parameters: { aside, decay, joined } } = this.#context;
    const weight = isAside ? aside : 1;
    words.forEach((word, place) => {
      const next = words[place + 1];
      const both = next !== undefined && canJoin(word, next) ? word + next : undefined;
      const here = weight * Math.max(0.5, 1 / (1 + decay * place));
      if (joined > 0 && both !== undefined && vocabulary.find(both) !== undefined) {
        this.#add(both, joined * here, { hits: 1, isCertain: true });
      }
      const ownWeight = this.#weightOf(word);
      if (ownWeight > 0) this.#add(word, ownWeight * here, { hits: 1 });
    });
  }

  distinctiveClauses(): readonly Clause[] {
    const says = ({ says, inDocuments }: Clause) => says === "much" && inDocuments.length > 0;
    if (this.#telling === 0 || this.clauses.some(says)) return this.clauses;
    return this.clauses.filter(({ says }) => says !== "little");
  }

  unknownOf(words: readonly string[]): string[] {
    return [...new Set(words)].filter((word) => {
      return this.#numbers.get(toTerm(word)) === undefined && !stopWords.has(word);
    });
  }

  requireWhole(parts: readonly string[]): number {
    const required = Math.max(1, new Set(parts.map(toTerm)).size);
    for (const part of parts) this.#add(part, 1, { hits: 1 });
    this.#raise(parts.join(""), required);
    return required;
  }

  #add(word: string, weight: number, { hits = 0, isCertain = false } = {}): void {
    const term = toTerm(word);
    if (!this.#numbers.has(term)) {
      const says = this.#says(word);
      const known = this.#alternatives(word, isCertain);
      const clause = { word: term, weight, isPlural: isPlural(word), says, hits, ...known };
      const isKnown = clause.inDocuments.length + clause.inOwners.length > 0;
      this.#numbers.set(term, isKnown ? this.clauses.push(clause) - 1 : undefined);
    }
    this.#raise(word, hits, weight);
  }

  #raise(word: string, hits: number, weight = 0): void {
    const number = this.#numbers.get(toTerm(word));
    if (number === undefined) return;
    const clause = this.clauses[number]!;
    this.clauses[number] = {
      ...clause,
      hits: Math.max(clause.hits, hits),
      weight: Math.max(clause.weight, weight),
    };
  }

  #says(word: string): Clause["says"] {
    if (stopWords.has(word)) return this.#telling === 0 ? "much" : "little";
    return genericVerbs.has(word) && this.#telling > 1 ? "something" : "much";
  }

  /** Stop words count nothing, except in short queries, of which 2% more then find the right tool first. */
  #weightOf(word: string): number {
    if (this.#says(word) !== "little") return 1;
    return this.#isShort && word.length > 1 ? this.#context.parameters.stopWord : 0;
  }

  #alternatives(word: string, isCertain: boolean): Pick<Clause, "inDocuments" | "inOwners"> {
    const { index, parameters: { misspelling } } = this.#context;
    const own = index.vocabulary.find(word);
    const isIn = (postings: Postings) => own !== undefined && countIn(postings, own) > 0;
    const known = [
      ...(own === undefined ? [] : [{ term: own, weight: 1, weightInName: 1 }]),
      ...(stopWords.has(word) ? [] : this.#synonyms(word)),
    ];
    const inDocuments = (all: readonly Alternative[]) =>
      all.filter(({ term }) => countIn(index.inDocuments, term) > 0);
    const isKnown = isCertain || stopWords.has(word) || isIn(index.inDocuments) ||
      index.ownersByName.has(word);
    if (isKnown || misspelling === 0) return { inDocuments: inDocuments(known), inOwners: known };
    const corrected = [...known.filter(({ term }) => term !== own), ...this.#corrections(word)];
    return {
      inDocuments: inDocuments(corrected),
      inOwners: isIn(index.inOwners) ? known : corrected,
    };
  }

  #synonyms(word: string): Alternative[] {
    const { index: { vocabulary }, synonyms, parameters } = this.#context;
    const weight = this.#isShort ? parameters.synonym : parameters.synonym / 2;
    if (weight === 0) return [];
    return (synonyms.get(toTerm(word)) ?? []).flatMap((other) => {
      const term = vocabulary.find(other);
      return term === undefined ? [] : [{ term, weight, weightInName: synonymInName }];
    });
  }

  /** Finds words one edit away from `word`, which is most likely misspelt: this helps up to 0.8% of queries. */
  #corrections(word: string): Alternative[] {
    const { index: { vocabulary }, parameters: { misspelling } } = this.#context;
    if (this.#corrected++ >= maxCorrected) return [];
    const similar = vocabulary.findSimilar(word);
    return [...similar].map((term) => ({ term, weight: misspelling, weightInName: misspelling }));
  }
}

/** Returns whether two words may be one, as in "log in". Single letters are most likely values or items of a list. */
function canJoin(first: string, second: string): boolean {
  const areStopWords = stopWords.has(first) && stopWords.has(second);
  return first.length > 1 && second.length > 1 && !areStopWords;
}

const maxNameWords = 6;

export interface NamedOwners {
  readonly bonuses: ReadonlyMap<number, number>;
  readonly byTerm: ReadonlyMap<string, ReadonlySet<number>>;
}

/**
 * Finds the owners that a query names. Measured: 2% more queries that name the program find the right tool among the
 * first 5.
 */
export function findNamedOwners(
  words: readonly string[],
  index: CatalogueIndex,
  { ownerNamed }: RankingParameters,
): NamedOwners {
  const bonuses = new Map<number, number>();
  const byTerm = new Map<string, Set<number>>();
  for (let start = 0; start < words.length; start++) {
    for (let end = start + 1; end <= Math.min(words.length, start + maxNameWords); end++) {
      const name = words.slice(start, end);
      for (const owner of index.ownersByName.get(name.join(" ")) ?? []) {
        const bonus = ownerNamed * (rarity(name, owner, index) ** 3 + (start === 0 ? 1 : 0));
        bonuses.set(owner, Math.max(bonuses.get(owner) ?? 0, bonus));
        for (const term of name.map(toTerm)) {
          byTerm.getOrInsertComputed(term, () => new Set()).add(owner);
        }
      }
    }
  }
  return { bonuses, byTerm };
}

function rarity(name: readonly string[], owner: number, index: CatalogueIndex): number {
  if (name.every((word) => stopWords.has(word))) return 0;
  const { vocabulary, inDocuments: { starts, documents }, ownerOf, documentCount } = index;
  const otherCounts = name.map((word) => {
    const term = vocabulary.find(word)!;
    const having = documents.subarray(starts[term]!, starts[term + 1]!);
    return having.reduce((count, document) => ownerOf[document] === owner ? count : count + 1, 0);
  });
  return idf(Math.min(...otherCounts), documentCount) / idf(0, documentCount);
}
