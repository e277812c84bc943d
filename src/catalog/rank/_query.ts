/** Reads a query into clauses: each is a word with the terms of the index that may stand for it. */

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

/** At most this many unknown words are corrected, because each costs a pass over the vocabulary. */
const maxCorrected = 8;

/** A query with up to this many telling words is short: nearly each of its words means something. */
const shortQuery = 7;

/** The weight of a synonym in a comparison of names, where few words mislead. */
const synonymInName = 0.5;

/** A term that may stand for a word of the query. */
export interface Alternative {
  readonly term: number;
  /** The weight of an occurrence of it; an occurrence of the word itself has 1. */
  readonly weight: number;
  /** The weight of an occurrence in a comparison with the words of a name. */
  readonly weightInName: number;
}

/** One word of the query, if the catalogue has a term for it. */
export interface Clause {
  readonly word: string;
  readonly weight: number;
  /** True for a plural noun, as far as spelling shows that. */
  readonly isPlural: boolean;
  /** A stop word says "little", and a verb that asks for information "something". */
  readonly says: "little" | "something" | "much";
  /** The terms that may stand for the word in documents, whose own texts alone decide this. */
  readonly inDocuments: readonly Alternative[];
  /** The terms that may stand for the word in owners. */
  readonly inOwners: readonly Alternative[];
  /** A document with one of these terms gets this many hits toward the query's `required`. */
  readonly hits: number;
}

/** A query as clauses and words, after it was read. */
export interface Query {
  readonly clauses: readonly Clause[];
  /** These words say what is wanted, and no tool has them; asides, values and names are left out. */
  readonly unknown: readonly string[];
  /** Words of paths, options and other values, which name a thing and do not say what to do. */
  readonly values: ReadonlySet<string>;
  /** A document with fewer hits does not match. */
  readonly required: number;
  /** Every word in order, including stop words. */
  readonly words: readonly string[];
  readonly sentenceCount: number;
  /** True if the query begins as a question, or no word of it asks for a change. */
  readonly isQuestion: boolean;
}

/** The parts of the index that a query is read with. */
interface QueryContext {
  readonly index: CatalogueIndex;
  readonly synonyms: Synonyms;
  readonly parameters: RankingParameters;
}

/** Reads `text`, which the caller has cut to a sensible length. */
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

/** A path, a file name, an option, an assignment or an identifier has one of these. */
const valueMark = /^[-.]|[\d/=*$<>|#@:_]|[\p{L}\p{N}]\.[\p{L}\p{N}]|^[a-z]+[A-Z]/u;

/** Returns the terms in those tokens of `text` that are written as values. */
function valuesIn(text: string): string[] {
  const tokens = text.split(/\s+/).filter((token) => valueMark.test(token));
  return tokens.flatMap(splitWords).map(toTerm);
}

/** Returns true for a name: the text has it with a capital, and not as its first word. */
function isName(word: string, text: string): boolean {
  return text.includes(` ${word[0]!.toUpperCase()}${word.slice(1)}`);
}

/** Returns true if a word is a verb of a change. In "pull request", the first word is not one. */
function asksForChange(words: readonly string[]): boolean {
  return words.some((word, at) =>
    changeVerbs.has(plainSpelling(word)) && toTerm(words[at + 1] ?? "") !== "request"
  );
}

/** Collects clauses by word. A repeated word counts once, with its greatest weight. */
class ClauseList {
  readonly clauses: Clause[] = [];
  readonly #context: QueryContext;
  /** The number of words in the query that are not stop words. */
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
   * Adds a phrase with the weight `1 / (1 + decay * place)`, at least ½, for each word. This is
   * worth 1 to 2 of R@5 on large sets, and the lower weight of asides 0.4 to 1.
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

  /** Returns the clauses without stop words if no document has another word: stop words find nothing by themselves. */
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

  /**
   * Makes a query without spaces, such as `git_commit`, match as one word: all its parts, or the
   * joined word. Returns the required hits.
   */
  requireWhole(parts: readonly string[]): number {
    const required = Math.max(1, new Set(parts.map(toTerm)).size);
    for (const part of parts) this.#add(part, 1, { hits: 1 });
    this.#raise(parts.join(""), required);
    return required;
  }

  /** Adds a clause for `word` if a term can stand for it. A word that `isCertain` is not corrected. */
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

  /** Raises the word's clause, if there is one, to at least these hits and this weight. */
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

  /** A query of stop words alone, or of a generic verb, means these words. */
  #says(word: string): Clause["says"] {
    if (stopWords.has(word)) return this.#telling === 0 ? "much" : "little";
    return genericVerbs.has(word) && this.#telling > 1 ? "something" : "much";
  }

  /**
   * Returns the weight of a word. A stop word counts a little in short queries, where it may mean
   * something. This is worth 2 of R@1 with one config.
   */
  #weightOf(word: string): number {
    if (this.#says(word) !== "little") return 1;
    return this.#isShort && word.length > 1 ? this.#context.parameters.stopWord : 0;
  }

  /**
   * Returns the terms for `word`. Only the documents' own text decides which words are known, so
   * that no owner's text changes it.
   */
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

  /** Finds the catalogue's words at one edit. This is worth 0.2 to 0.8 of R@5. */
  #corrections(word: string): Alternative[] {
    const { index: { vocabulary }, parameters: { misspelling } } = this.#context;
    if (this.#corrected++ >= maxCorrected) return [];
    const similar = vocabulary.findSimilar(word);
    return [...similar].map((term) => ({ term, weight: misspelling, weightInName: misspelling }));
  }
}

/** Returns false for single letters: these are values, or the rest of a word, as in "directories a b c". */
function canJoin(first: string, second: string): boolean {
  const areStopWords = stopWords.has(first) && stopWords.has(second);
  return first.length > 1 && second.length > 1 && !areStopWords;
}

const maxNameWords = 6;

/** The owners that a query names. A name such as `file`, which documents of other owners use as a word, says little. */
export interface NamedOwners {
  /** The bonus of each owner's documents, as a share of the most that the query can give. */
  readonly bonuses: ReadonlyMap<number, number>;
  /** The owners that are named with each term, which therefore does not choose among their documents. */
  readonly byTerm: ReadonlyMap<string, ReadonlySet<number>>;
}

/**
 * Returns the owners named in `words`, each with `ownerNamed * (rarity³ + 1 where the query begins
 * with it)`. This is worth 2 of R@5 where queries name the program, and 1 on `api`.
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

/** Returns the rarity of the rarest word in an owner's name: 1 if no document of another owner has it. */
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
