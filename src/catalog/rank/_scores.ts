/**
 * Scores the words of a query with BM25F on two levels. An owner adds the same to all its
 * documents, so their order stays.
 */

import type { CatalogueIndex } from "./_catalogue_index.ts";
import type { RankingParameters } from "./_parameters.ts";
import { countIn, gather, idf } from "./_postings.ts";
import type { Alternative, Clause, NamedOwners, Query } from "./_query.ts";

/** At this many weighted occurrences, a word has given half of the most it can give. */
export const saturation = 3;
/** At this many weighted occurrences, a word has given half of its evidence; it is low, so that words count once. */
export const evidenceSaturation = 0.6;
/** The loss of evidence for owners of many documents, per natural logarithm of their number. */
const evidenceNorm = 0.35;
/** The exponent of the inverse document frequency; it is below 1, which lowers rare words a little. */
const idfPower = 0.8;

/** A clause with the most it can give: its weight times its inverse document frequency. */
interface ScoredClause {
  readonly clause: Clause;
  /** The largest score for a document, from the number of documents that have the word in their own text. */
  readonly worth: number;
  /** The largest score for an owner, from the number of documents and owners that have the word in their own text. */
  readonly ownerWorth: number;
}

/** The result of scoring one query. */
export interface Scores {
  readonly clauses: readonly ScoredClause[];
  /** The largest score of all clauses together for a document and an owner. */
  readonly worth: number;
  readonly ownerWorth: number;
}

/** The properties of the whole query that change a clause. */
interface ClauseContext {
  /** A generic verb adds at most this score. */
  readonly most: number;
  readonly named: ReadonlySet<number> | undefined;
  /** True if the clause may name what a document is to list. */
  readonly isListed: boolean;
}

/** Arrays of the catalogue's size, made once and used for one query at a time. */
export class Scoreboard {
  /** The score from each document's own words, without a unit. */
  readonly own: Float64Array;
  /** The score that each owner gives to all its documents. */
  readonly ofOwner: Float64Array;
  readonly #index: CatalogueIndex;
  readonly #parameters: RankingParameters;
  readonly #strengths: Float32Array;
  readonly #covered: Float32Array;
  readonly #hits: Uint16Array;
  readonly #ownerStrengths: Float32Array;
  readonly #ownerHits: Uint16Array;
  readonly #ownerBest: Float64Array;
  /** The share that an owner's evidence keeps: `1 / (1 + evidenceNorm * ln size)`. */
  readonly #shares: Float64Array;

  constructor(index: CatalogueIndex, parameters: RankingParameters) {
    const { documentCount, ownerSizes } = index;
    this.#index = index;
    this.#parameters = parameters;
    this.own = new Float64Array(documentCount);
    this.ofOwner = new Float64Array(ownerSizes.length);
    this.#strengths = new Float32Array(documentCount);
    this.#covered = new Float32Array(documentCount);
    this.#hits = new Uint16Array(documentCount);
    this.#ownerStrengths = new Float32Array(ownerSizes.length);
    this.#ownerHits = new Uint16Array(ownerSizes.length);
    this.#ownerBest = new Float64Array(ownerSizes.length);
    this.#shares = Float64Array.from(ownerSizes, (size) => 1 / (1 + evidenceNorm * Math.log(size)));
  }

  score({ clauses, isQuestion }: Query, named: NamedOwners): Scores {
    for (const each of [this.own, this.ofOwner, this.#covered]) each.fill(0);
    for (const each of [this.#hits, this.#ownerHits]) each.fill(0);
    const most = this.#worthOfLeast(clauses);
    const scored = clauses.map((clause) => {
      const isListed = isQuestion && clause.isPlural;
      return this.#addClause(clause, { most, named: named.byTerm.get(clause.word), isListed });
    });
    return {
      clauses: scored,
      worth: scored.reduce((sum, { worth }) => sum + worth, 0),
      ownerWorth: scored.reduce((sum, { ownerWorth }) => sum + ownerWorth, 0),
    };
  }

  /** Returns the documents that `accept` lets through and that reach `required`, ascending. */
  matches(required: number, accept: (document: number) => boolean): number[] {
    const { ownerOf } = this.#index;
    const matches: number[] = [];
    for (let document = 0; document < this.own.length; document++) {
      const hits = this.#hits[document]! + this.#ownerHits[ownerOf[document]!]!;
      if (hits >= required && accept(document)) matches.push(document);
    }
    return matches;
  }

  /**
   * Returns `Σ idf of its name's words that the query has / Σ idf of all`. This is worth 1 to 2 of
   * R@5 on large sets.
   */
  nameCovered(document: number): number {
    const covered = this.#covered[document]!;
    return covered === 0 ? 0 : Math.min(1, covered / this.#index.nameWorth[document]!);
  }

  #addClause(clause: Clause, { most, named, isListed }: ClauseContext): ScoredClause {
    const { inDocuments, inOwners } = this.#index;
    const inText = this.#worthInDocuments(clause);
    const worth = clause.weight * (clause.says === "something" ? Math.min(inText, most) : inText);
    const ownerWorth = clause.weight * this.#worth(clause.inOwners, (term) => {
      return countIn(inDocuments, term) + countIn(inOwners, term);
    });
    const owners = gather(clause.inOwners, inOwners, this.#ownerStrengths);
    const documents = gather(clause.inDocuments, inDocuments, this.#strengths);
    const evidenced = this.#addOwnerWords(owners, ownerWorth, clause.hits);
    this.#addOwnWords(documents, { worth, hits: clause.hits, named, evidenced });
    this.#coverNames(clause.inDocuments, worth);
    if (isListed) this.#addLists(clause.inDocuments, worth);
    this.#addEvidence(evidenced, ownerWorth);
    for (const owner of owners) this.#ownerStrengths[owner] = 0;
    return { clause, worth, ownerWorth };
  }

  /** Limits a generic verb to the worth of the least noun: for "see pull requests", `gh` has to list pull requests. */
  #worthOfLeast(clauses: readonly Clause[]): number {
    const telling = clauses.filter(({ says, inDocuments }) => {
      return says === "much" && inDocuments.length > 0;
    });
    return Math.min(...telling.map((clause) => this.#worthInDocuments(clause)));
  }

  #worthInDocuments({ inDocuments }: Clause): number {
    return this.#worth(inDocuments, (term) => countIn(this.#index.inDocuments, term));
  }

  /** Returns `idf ^ idfPower` of the word itself, or of the first term that may stand for it. */
  #worth([first]: readonly Alternative[], count: (term: number) => number): number {
    if (first === undefined) return 0;
    return idf(count(first.term), this.#index.documentCount) ** idfPower;
  }

  /**
   * Adds the owner's words: `ownerWords * worth * s / (saturation + s)`, where `s` is the word's
   * strength in its text. Returns the owners that have some. This is worth 1 of R@5 on `cli` and
   * `api`, and costs 2 on `functions`.
   */
  #addOwnerWords(owners: readonly number[], worth: number, hits: number): number[] {
    const { ownerWords } = this.#parameters;
    for (const owner of owners) {
      const strength = this.#ownerStrengths[owner]!;
      this.ofOwner[owner]! += ownerWords * worth * strength / (saturation + strength);
      this.#ownerBest[owner] = strength / (evidenceSaturation + strength);
      this.#ownerHits[owner]! += hits;
    }
    return [...owners];
  }

  /**
   * Adds a document's own words: `worth * (s / (saturation + s) + share * s / (evidenceSaturation +
   * s))`. The second part, `ownEvidence`, is for documents of owners that are too large for
   * evidence to say much of each. A word with which the query names the owner does not tell its
   * documents apart: all of them get the best score that one gets. This is worth 2 of R@5 where
   * queries name the program.
   */
  #addOwnWords(documents: readonly number[], { worth, hits, named, evidenced }: {
    readonly worth: number;
    readonly hits: number;
    readonly named: ReadonlySet<number> | undefined;
    readonly evidenced: number[];
  }): void {
    const { ownEvidence } = this.#parameters;
    const { ownerOf } = this.#index;
    const ofNamed = new Map<number, number>();
    for (const document of documents) {
      const owner = ownerOf[document]!;
      const strength = this.#strengths[document]!;
      this.#strengths[document] = 0;
      const coverage = strength / (evidenceSaturation + strength);
      const share = ownEvidence * (1 - this.#shares[owner]!);
      const gain = worth * (strength / (saturation + strength) + share * coverage);
      if (named?.has(owner)) ofNamed.set(owner, Math.max(gain, ofNamed.get(owner) ?? 0));
      else this.own[document]! += gain;
      if (this.#ownerStrengths[owner] === 0) this.#hits[document]! += hits;
      const best = this.#ownerBest[owner]!;
      if (best === 0) evidenced.push(owner);
      if (coverage > best) this.#ownerBest[owner] = coverage;
    }
    for (const [owner, gain] of ofNamed) this.ofOwner[owner]! += gain;
  }

  /**
   * Adds `listed * worth` to documents that list a plural noun of a question. This is worth 1 of
   * R@1 with one config.
   */
  #addLists([word]: readonly Alternative[], worth: number): void {
    if (word === undefined) return;
    const gain = this.#parameters.listed * word.weight * worth;
    const { starts, documents } = this.#index.inLists;
    for (let at = starts[word.term]!; at < starts[word.term + 1]!; at++) {
      this.own[documents[at]!]! += gain;
    }
  }

  #coverNames(alternatives: readonly Alternative[], worth: number): void {
    const { inNames: { starts, documents }, inDocuments, documentCount } = this.#index;
    for (const { term, weightInName } of alternatives) {
      const gain = Math.min(idf(countIn(inDocuments, term), documentCount), worth * weightInName);
      for (let at = starts[term]!; at < starts[term + 1]!; at++) {
        this.#covered[documents[at]!]! += gain;
      }
    }
  }

  /**
   * Adds the evidence for an owner: `evidence * worth * share * best`, where `best` is the best
   * coverage of the word by its text or one of its documents. This is worth 10 of R@5 with many
   * owners.
   */
  #addEvidence(owners: readonly number[], worth: number): void {
    const { evidence } = this.#parameters;
    for (const owner of owners) {
      this.ofOwner[owner]! += evidence * worth * this.#shares[owner]! * this.#ownerBest[owner]!;
      this.#ownerBest[owner] = 0;
    }
  }
}
