/**
 * Ranks documents. A query finds each document that contains it, as the search contract demands, and those that share
 * words with it, best first: read the query → score own words and owners → add bonuses → spread. Filters and answers
 * are other files' work; nothing here reads or writes. Searches reuse the arrays of scores.
 */

import { buildIndex, type CatalogueIndex } from "./_catalogue_index.ts";
import type { Document } from "./document.ts";
import { explain, type ExplainedDocument, type RankSteps } from "./explanation.ts";
import { type Fit, fitOf } from "./_fit.ts";
import { defaultParameters, type RankingParameters } from "./_parameters.ts";
import { findContaining, isFirstField, strengthIn } from "./_postings.ts";
import { findNamedOwners, type NamedOwners, type Query, readQuery } from "./_query.ts";
import { saturation, Scoreboard, type Scores } from "./_scores.ts";
import { readSynonyms, type Synonyms } from "../../text/synonyms.ts";

/** At most this many characters of a query are ranked; as a substring, the whole query is searched. */
const maxRankedLength = 512;
/** For requests of several sentences, results are picked among this many of the best, so that they differ. */
const maxSpread = 64;

export type { Fit } from "./_fit.ts";

export interface RankOptions {
  readonly limit: number;
  /** Tests whether a document, given by index, passes the filters. Without it, all do. */
  readonly accept?: ((document: number) => boolean) | undefined;
}

export interface Ranking {
  /** Returns indexes of documents that match `query`, best first, equal ones in load order; all for an empty query. */
  rank(query: string, options: RankOptions): number[];
  /** Returns the same documents in the same order, with falling scores without a unit. */
  score(query: string, options: RankOptions): ScoredDocument[];
  /** Counts the first results with at least `share` of the best score; nothing for a query of several sentences. */
  scoresOfBest(
    query: string,
    options: RankOptions & { readonly share: number },
  ): number | undefined;
  /** Counts the documents that `rank` would return without a limit. */
  count(query: string, options: Omit<RankOptions, "limit">): number;
  /** Returns how well the first document fits the query, and which words no document has. */
  fit(query: string, options: RankOptions): Fit;
  /** Returns the results of `rank`, each with an explanation of its place. */
  explain(query: string, options: RankOptions): ExplainedDocument[];
}

export interface ScoredDocument {
  readonly document: number;
  readonly score: number;
}

/** Indexes `documents` for searches. `parameters` change the ranking, for measurements. */
export function rankingOf(
  documents: readonly Document[],
  parameters: Partial<RankingParameters> = {},
): Ranking {
  const complete = { ...defaultParameters, ...parameters };
  const index = buildIndex(documents, complete);
  const synonyms = readSynonyms();
  const board = new Scoreboard(index, complete);
  const scores = new Float64Array(index.documentCount);
  const context = { index, board, scores, synonyms, parameters: complete };
  // The last search is kept, since questions about its answer (count, fit) follow right after it
  let last: ReturnType<typeof rank> | undefined;
  const search = (query: string, { limit, accept }: RankOptions) => {
    const isLast = last?.text === query && last.limit === limit && last.accept === accept;
    return last = isLast ? last! : rank(query, { limit, accept }, context);
  };
  return {
    rank: (query, options) => search(query, options).found,
    count: (query, options) => search(query, { ...options, limit: last?.limit ?? 0 }).count,
    fit(query, options) {
      const last = search(query, options);
      const isWhole = (document: number) => last.steps.ofWhole(document) > 0;
      return fitOf({ ...last, scores, isWhole }, index, documents);
    },
    score(query, options) {
      const { found } = search(query, options);
      // Picked for several sentences, a document may come before one with a higher score, so the scores are sorted
      const falling = found.map((document) => scores[document]!).sort((a, b) => b - a);
      return found.map((document, at) => ({ document, score: falling[at]! }));
    },
    scoresOfBest(query, { share, ...options }) {
      const { found, query: { sentenceCount } } = search(query, options);
      if (sentenceCount > 1) return undefined;
      const least = share * scores[found[0]!]!;
      const beyond = found.findIndex((document) => scores[document]! < least);
      return beyond === -1 ? found.length : beyond;
    },
    explain(query, options) {
      const { found, steps, scored } = search(query, options);
      return found.map((document) => explain(document, { index, steps, scored }));
    },
  };
}

interface RankingContext {
  readonly index: CatalogueIndex;
  readonly board: Scoreboard;
  readonly scores: Float64Array;
  readonly synonyms: Synonyms;
  readonly parameters: RankingParameters;
}

interface Search extends RankingContext {
  readonly query: Query;
  readonly scored: Scores;
}

function rank(text: string, { limit, accept }: RankOptions, context: RankingContext) {
  const { index, board, scores, parameters } = context;
  const query = readQuery(text.slice(0, maxRankedLength), context);
  const named = findNamedOwners(query.words, index, parameters);
  const scored = board.score(query, named);
  const whole = findWhole(text.toLowerCase(), { ...context, query, scored });
  const steps = stepsOf({ ...context, query, scored }, named, whole);
  const found = board.matches(query.required, accept ?? (() => true));
  const isMatch = new Set(whole.size === 0 ? [] : found);
  for (const document of whole.keys()) {
    if (!isMatch.has(document) && accept?.(document) !== false) found.push(document);
  }
  const { own, ofOwner, ofNamed, ofEffect, ofWhole } = steps;
  for (const document of found) {
    scores[document] = own(document) + ofOwner(document) + ofNamed(document) +
      ofEffect(document) + ofWhole(document);
  }
  const search: Search = { ...context, query, scored };
  const most = Math.max(0, Math.min(Math.trunc(limit), index.documentCount));
  const { length: count } = found;
  const best = pick(found, most, search);
  return { text, limit, accept, query, count, found: best, scored, steps, named };
}

function stepsOf(
  { index, board, parameters, query, scored }: Search,
  owners: NamedOwners,
  whole: ReadonlyMap<number, number>,
): RankSteps {
  const { ownerOf, effectOf } = index;
  const covered = parameters.nameCovered * scored.worth;
  // Of tools with nearly equal scores, a question prefers reading to writing to destroying, and a request tools that
  // change something. Measured: this adds 1 point of R@1
  const effect = parameters.effect * scored.worth;
  const effects = query.isQuestion
    ? { read: effect, write: effect / 2, destructive: 0 }
    : { read: 0, write: effect, destructive: effect };
  const { bonuses } = owners;
  const [isNamed, isWhole] = [bonuses.size > 0, whole.size > 0];
  return {
    own: (document) => board.own[document]! + covered * board.nameCovered(document),
    ofOwner: (document) => board.ofOwner[ownerOf[document]!]!,
    ofNamed: (document) => isNamed ? (bonuses.get(ownerOf[document]!) ?? 0) * scored.ownerWorth : 0,
    ofEffect: (document) => effects[effectOf[document] ?? "destructive"],
    ofWhole: (document) => isWhole ? whole.get(document) ?? 0 : 0,
  };
}

/** Finds the documents that contain the query or whose owners do, with their bonus; the largest is for a name. */
function findWhole(lowered: string, { index, parameters, query, scored }: Search) {
  const worth = Math.max(1, scored.worth);
  const { length } = query.words;
  // Short queries occur in texts by chance, even within words, so the bonus grows with the pairs of words
  const pairs = Math.min(10, Math.max(0.1, length * (length - 1) / 2));
  // Even without a weight, each document that contains the query needs a score above 0, since it matches
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

function pick(found: readonly number[], count: number, search: Search): number[] {
  const { query, scores } = search;
  const best = found.toSorted((a, b) => scores[b]! - scores[a]! || a - b);
  if (query.sentenceCount <= 1) return best.slice(0, count);
  const picked = pickSpread(best.slice(0, maxSpread), count, search);
  return [...picked, ...best.slice(maxSpread)].slice(0, count);
}

/** A picked document that fully has a word takes this share of the word's worth from the documents after it. */
const usedUp = 0.8;

/** Picks `count` documents one by one, best first; words of a picked document count less for the next. */
function pickSpread(documents: readonly number[], count: number, search: Search): number[] {
  const { scored: { clauses }, parameters: { spread }, scores } = search;
  const left = documents.map((document) => ({ document, parts: clauseShares(document, search) }));
  const fresh = clauses.map(() => 1);
  const picked: number[] = [];
  while (picked.length < count && left.length > 0) {
    const values = left.map(({ document, parts }) =>
      scores[document]! -
      spread * sum(parts.map((part, k) => part * clauses[k]!.worth * (1 - fresh[k]!)))
    );
    const best = values.indexOf(Math.max(...values));
    const [choice] = left.splice(best, 1);
    picked.push(choice!.document);
    choice!.parts.forEach((part, k) => fresh[k]! *= 1 - usedUp * part);
  }
  return picked;
}

function clauseShares(document: number, { index, scored }: Search): number[] {
  return scored.clauses.map(({ clause: { inDocuments } }) => {
    const strength = sum(
      inDocuments.map(({ term, weight }) => weight * strengthIn(index.inDocuments, term, document)),
    );
    return strength / (saturation + strength);
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
