/**
 * Ranked search over a catalogue of documents.
 *
 * A query finds every document whose text contains it, as the search contract asks, and the documents
 * that share words with it, best first. Which filters exist and how answers look is decided elsewhere;
 * nothing here reads or writes anything.
 *
 * One search: read the query → score own words and owners → add what else speaks for each → spread. The
 * scores of a search stand in arrays that the next search uses again.
 */

import { type Accepted, findAccepted } from "./_accepted.ts";
import { selectBest } from "./_best.ts";
import { buildIndex, type CatalogueIndex } from "./_catalogue_index.ts";
import type { Document } from "./document.ts";
import {
  explain,
  type ExplainedDocument,
  type RankStep,
  type RecordedSearch,
} from "./explanation.ts";
import { findNamedOwners } from "./_named_owners.ts";
import { defaultParameters, type RankingParameters } from "./_parameters.ts";
import { type Query, readQuery } from "./_query.ts";
import { Scoreboard, type Scores } from "./_scores.ts";
import { readSentences } from "./_sentences.ts";
import { pickSpread } from "./_spread.ts";
import { findContaining, isFirstField } from "./_substring.ts";
import { readSynonyms, type Synonyms } from "../../text/synonyms.ts";

/** Characters of a query that are read for ranking; the rest only counts for the substring. */
const longestRanked = 512;
/** Of how many of the best the first few are picked so that they differ. */
const mostSpread = 64;

/** How to rank. */
export interface RankOptions {
  /** Most results wanted. */
  readonly limit: number;
  /**
   * Whether a document, given by its index, passes the filters.
   * @default every document
   */
  readonly accept?: (document: number) => boolean;
}

/** A catalogue that can be searched. */
export interface Ranking {
  /**
   * Indexes of the documents that match `query`, best first, equals in load order.
   *
   * The empty query matches every document.
   */
  rank(query: string, options: RankOptions): number[];
  /** The same with what each is worth for the query, in no unit; not yet spread over sentences. */
  score(query: string, options: RankOptions): ScoredDocument[];
  /**
   * How many of the first of `rank` are worth at least `share` of the very first. All of them where the
   * query has several sentences, which may each want another document.
   */
  leading(query: string, options: RankOptions & { readonly share: number }): number;
  /** The same documents in the same order as `rank`, each with why it stands there. */
  explain(query: string, options: RankOptions): ExplainedDocument[];
}

/** A document, given by its index, and what it is worth. */
export interface ScoredDocument {
  readonly document: number;
  readonly score: number;
}

/** Indexes `documents` for searching; `parameters` change the ranking, to measure its parts. */
export function buildRanking(
  documents: readonly Document[],
  parameters: Partial<RankingParameters> = {},
): Ranking {
  const steps = rankingInSlices(documents, parameters);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** {@linkcode buildRanking}, which others may interrupt wherever it yields, every few milliseconds. */
export function* rankingInSlices(
  documents: readonly Document[],
  parameters: Partial<RankingParameters> = {},
): Generator<void, Ranking> {
  const complete = { ...defaultParameters, ...parameters };
  const index = yield* buildIndex(documents, complete);
  const board = new Scoreboard(index, complete);
  const scores = new Float64Array(documents.length);
  const context = { index, board, scores, synonyms: readSynonyms(), parameters: complete };
  return {
    rank: (query, options) => rank(query, options, context),
    score(query, options) {
      const found = rank(query, options, context);
      return found.map((document) => ({ document, score: scores[document]! }))
        .sort((a, b) => b.score - a.score || a.document - b.document);
    },
    leading(query, { share, ...options }) {
      const found = rank(query, options, context);
      const sentences = readSentences(query.slice(0, longestRanked), complete);
      if (sentences.length > 1) return found.length;
      const least = share * scores[found[0]!]!;
      const beyond = found.findIndex((document) => scores[document]! < least);
      return beyond === -1 ? found.length : beyond;
    },
    explain(query, options) {
      const recorded: RecordedSearch = { after: new Map() };
      const found = rank(query, options, { ...context, recorded });
      return found.map((document) => explain(document, recorded, index));
    },
  };
}

interface RankingContext {
  readonly index: CatalogueIndex;
  readonly board: Scoreboard;
  /** By document: what it is worth for the query; 0 where it does not match. */
  readonly scores: Float64Array;
  readonly synonyms: Synonyms;
  readonly parameters: RankingParameters;
  /** Where each step is recorded; absent: nobody asks why. */
  readonly recorded?: RecordedSearch;
}

interface Search extends RankingContext {
  readonly query: Query;
  readonly scored: Scores;
  readonly accepted: Accepted | undefined;
  readonly matches: readonly number[];
}

function rank(text: string, { limit, accept }: RankOptions, context: RankingContext): number[] {
  const { index, board, scores, parameters, recorded } = context;
  const count = Math.min(Math.trunc(limit), index.documentCount);
  if (!(count > 0)) return [];
  const accepted = accept && findAccepted(index.documentCount, accept);
  const query = readQuery(text.slice(0, longestRanked), context);
  const named = findNamedOwners(query.words, index, parameters);
  const scored = board.score(query, named);
  const matches = board.matches(query.required, accepted);
  const search = { ...context, query, scored, accepted, matches };
  const after = (step: RankStep) => recorded?.after.set(step, scores.slice());
  if (recorded) recorded.scored = scored;
  scores.fill(0);
  addOwn(search);
  after("its own words");
  addOwners(search);
  after("its program's words");
  addNamedOwners(search, named.bonuses);
  after("its program is named");
  addEffects(search);
  after("it only reads");
  const others = addSubstrings(text.toLowerCase(), search);
  after("the whole query");
  const found = others.length === 0 ? matches : [...matches, ...others];
  return pick(found, count, search);
}

function addOwn({ board, scores, matches, scored, parameters: { nameCovered } }: Search): void {
  for (const document of matches) {
    scores[document]! += board.own[document]! +
      nameCovered * scored.worth * board.nameCovered(document);
  }
}

function addOwners({ index: { ownerOf }, board, scores, matches }: Search): void {
  for (const document of matches) scores[document]! += board.ofOwner[ownerOf[document]!]!;
}

function addNamedOwners(
  { index: { ownerOf }, scores, matches, scored }: Search,
  bonuses: ReadonlyMap<number, number>,
): void {
  if (bonuses.size === 0) return;
  for (const document of matches) {
    const bonus = bonuses.get(ownerOf[document]!);
    if (bonus !== undefined) scores[document]! += bonus * scored.ownerWorth;
  }
}

/**
 * Where tools are nearly level, a question prefers one that reads to one that writes, and that to one that
 * destroys. Worth 0.5 of R@3 on the bundled configs, nothing where effects are not known.
 */
function addEffects({ index, scores, matches, query, scored, parameters }: Search): void {
  if (!query.isQuestion) return;
  const bonus = parameters.effect * scored.worth;
  for (const document of matches) {
    const effect = index.effectOf[document];
    if (effect === "read") scores[document]! += bonus;
    else if (effect === "write") scores[document]! += bonus / 2;
  }
}

/**
 * Raises the documents whose own text contains the query by `substring`, and all of an owner whose text
 * does; the one of just that name stands first. Gives those that no word of the query had found.
 */
function addSubstrings(lowered: string, search: Search): number[] {
  const { index, parameters, query, scored, scores, accepted } = search;
  const worth = Math.max(1, scored.worth);
  const { length } = query.words;
  // A short query is found by chance, one word even within others; of long ones each pair counts
  const pairs = Math.min(10, Math.max(0.1, length * (length - 1) / 2));
  const bonus = parameters.substring * worth * pairs;
  const others: number[] = [];
  const raise = (document: number, by: number) => {
    if (accepted && accepted.mask[document] === 0) return;
    if (scores[document] === 0) others.push(document);
    // So that all have something, whatever ingredients are switched off
    scores[document]! += Math.max(by, Number.MIN_VALUE);
  };
  for (const document of findContaining(index.documentText, lowered)) {
    const isName = isFirstField(index.documentText, document, lowered);
    raise(document, bonus + (isName ? 10 * worth : 0));
  }
  const owners = new Set(findContaining(index.ownerText, lowered));
  if (owners.size === 0) return others;
  for (let document = 0; document < index.documentCount; document++) {
    if (owners.has(index.ownerOf[document]!)) raise(document, bonus);
  }
  return others;
}

/** The best `count` of `found`; of a request of several sentences, picked so that they differ. */
function pick(found: readonly number[], count: number, search: Search): number[] {
  const { query, scored, scores, parameters } = search;
  const isSpread = parameters.spread > 0 && query.sentenceCount > 1 && scored.clauses.length > 0;
  if (!isSpread) return selectBest(found, count, scores);
  const best = selectBest(found, Math.max(count, mostSpread), scores);
  const picked = pickSpread(best.slice(0, mostSpread), count, search);
  return [...picked, ...best.slice(mostSpread)].slice(0, count);
}
