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

import { selectBest } from "./_best.ts";
import { buildIndex, type CatalogueIndex } from "./_catalogue_index.ts";
import type { Document } from "./document.ts";
import { explain, type ExplainedDocument, type RankSteps } from "./explanation.ts";
import { findNamedOwners } from "./_named_owners.ts";
import { defaultParameters, type RankingParameters } from "./_parameters.ts";
import { type Query, readQuery } from "./_query.ts";
import { Scoreboard, type Scores } from "./_scores.ts";
import { pickSpread } from "./_spread.ts";
import { findContaining, isFirstField } from "./_substring.ts";
import { readSynonyms, type Synonyms } from "../../text/synonyms.ts";

/** Characters of a query that are read for ranking; the rest only counts for the substring. */
const maxRankedLength = 512;
/** Of how many of the best the first few are picked so that they differ. */
const maxSpread = 64;

/** How to rank. */
export interface RankOptions {
  /** Most results wanted. */
  readonly limit: number;
  /** Whether a document, given by its index, passes the filters; absent: all do. */
  readonly accept?: (document: number) => boolean;
}

/** A catalogue that can be searched. */
export interface Ranking {
  /** Indexes of the documents that match `query`, best first, equals in load order; all for the empty query. */
  rank(query: string, options: RankOptions): number[];
  /** The same with what each is worth for the query, in no unit; not yet spread over sentences. */
  score(query: string, options: RankOptions): ScoredDocument[];
  /** How many of the first of `rank` are worth `share` of the very first; all where the query has several sentences. */
  scoresOfBest(query: string, options: RankOptions & { readonly share: number }): number;
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
    rank: (query, options) => rank(query, options, context).found,
    score(query, options) {
      const { found } = rank(query, options, context);
      return found.map((document) => ({ document, score: scores[document]! }))
        .sort((a, b) => b.score - a.score || a.document - b.document);
    },
    scoresOfBest(query, { share, ...options }) {
      const { found, search } = rank(query, options, context);
      if (search.query.sentenceCount > 1) return found.length;
      const least = share * scores[found[0]!]!;
      const beyond = found.findIndex((document) => scores[document]! < least);
      return beyond === -1 ? found.length : beyond;
    },
    explain(query, options) {
      const { found, steps, search: { scored } } = rank(query, options, context);
      return found.map((document) => explain(document, { index, steps, scored }));
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
}

interface Search extends RankingContext {
  readonly query: Query;
  readonly scored: Scores;
}

function rank(text: string, { limit, accept = () => true }: RankOptions, context: RankingContext) {
  const { index, board, scores, parameters } = context;
  const query = readQuery(text.slice(0, maxRankedLength), context);
  const named = findNamedOwners(query.words, index, parameters);
  const scored = board.score(query, named);
  const whole = findWhole(text.toLowerCase(), { ...context, query, scored });
  const steps = stepsOf({ ...context, query, scored }, named.bonuses, whole);
  const found = board.matches(query.required, accept);
  const isMatch = new Set(whole.size === 0 ? [] : found);
  for (const document of whole.keys()) {
    if (!isMatch.has(document) && accept(document)) found.push(document);
  }
  scores.fill(0);
  const { own, ofOwner, ofNamed, ofEffect, ofWhole } = steps;
  for (const document of found) {
    scores[document] = own(document) + ofOwner(document) + ofNamed(document) +
      ofEffect(document) + ofWhole(document);
  }
  const search: Search = { ...context, query, scored };
  const count = Math.max(0, Math.min(Math.trunc(limit), index.documentCount));
  return { found: pick(found, count, search), search, steps };
}

function stepsOf(
  { index: { ownerOf, effectOf }, board, parameters, query, scored }: Search,
  bonuses: ReadonlyMap<number, number>,
  whole: ReadonlyMap<number, number>,
): RankSteps {
  const covered = parameters.nameCovered * scored.worth;
  const effects = effectBonuses(query.isQuestion ? parameters.effect * scored.worth : 0);
  const [isNamed, isWhole] = [bonuses.size > 0, whole.size > 0];
  return {
    own: (document) => board.own[document]! + covered * board.nameCovered(document),
    ofOwner: (document) => board.ofOwner[ownerOf[document]!]!,
    ofNamed: (document) => isNamed ? (bonuses.get(ownerOf[document]!) ?? 0) * scored.ownerWorth : 0,
    ofEffect: (document) => effects[effectOf[document] ?? "destructive"],
    ofWhole: (document) => isWhole ? whole.get(document) ?? 0 : 0,
  };
}

/** Of nearly level tools, a question prefers reading to writing to destroying. Worth 0.8 of R@1 with one config. */
function effectBonuses(bonus: number) {
  return { read: bonus, write: bonus / 2, destructive: 0 };
}

/** The documents that contain the query, and all of an owner that does, each with its bonus; an exact name is first. */
function findWhole(
  lowered: string,
  { index, parameters, query, scored }: Search,
): Map<number, number> {
  const worth = Math.max(1, scored.worth);
  const { length } = query.words;
  // A short query is found by chance, one word even within others; of long ones each pair counts
  const pairs = Math.min(10, Math.max(0.1, length * (length - 1) / 2));
  // So that all have something, whatever ingredients are switched off
  const bonus = Math.max(parameters.substring * worth * pairs, Number.MIN_VALUE);
  const bonuses = new Map<number, number>();
  for (const document of findContaining(index.documentText, lowered)) {
    const isName = isFirstField(index.documentText, document, lowered);
    bonuses.set(document, isName ? bonus + 10 * worth : bonus);
  }
  const owners = new Set(findContaining(index.ownerText, lowered));
  if (owners.size === 0) return bonuses;
  for (const [document, owner] of index.ownerOf.entries()) {
    if (owners.has(owner)) bonuses.set(document, bonus + (bonuses.get(document) ?? 0));
  }
  return bonuses;
}

/** The best `count` of `found`; of a request of several sentences, picked so that they differ. */
function pick(found: readonly number[], count: number, search: Search): number[] {
  const { query, scored, scores, parameters } = search;
  const isSpread = parameters.spread > 0 && query.sentenceCount > 1 && scored.clauses.length > 0;
  if (!isSpread) return selectBest(found, count, scores);
  const best = selectBest(found, Math.max(count, maxSpread), scores);
  const picked = pickSpread(best.slice(0, maxSpread), count, search);
  return [...picked, ...best.slice(maxSpread)].slice(0, count);
}
