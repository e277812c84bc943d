/**
 * START HERE for the ranking. A query finds documents that contain it as a whole, and documents that share words with
 * it. Steps: read the query → score documents and owners → add bonuses → spread results over several sentences.
 */

import { buildIndex, type CatalogueIndex } from "./_catalogue_index.ts";
import type { Document } from "./document.ts";
import { type ExplainedDocument, wordsIn } from "./explanation.ts";
import { fitOf } from "./_fit.ts";
import { defaultParameters, type RankingParameters } from "./_parameters.ts";
import { strengthIn } from "./_postings.ts";
import { findNamedOwners, type NamedOwners, type Query, readQuery } from "./_query.ts";
import { saturation, Scoreboard, type Scores } from "./_scores.ts";
import { readSynonyms, type Synonyms } from "../../text/synonyms.ts";

/** Only this many first characters of a query are split into words; the whole query is searched as a substring. */
const maxRankedLength = 512;
const maxSpread = 64;

export type { Fit } from "./_fit.ts";

export interface RankOptions {
  readonly limit: number;
  /** Returns whether a document may be a result, such as by its category. @default all documents may */
  readonly accept?: ((document: number) => boolean) | undefined;
}

export type Ranking = ReturnType<typeof rankingOf>;

export interface ScoredDocument {
  readonly document: number;
  readonly score: number;
}

/** Prepares `documents` for searches. Benchmarks give other `parameters`, to measure what each is worth. */
export function rankingOf(
  documents: readonly Document[],
  parameters: Partial<RankingParameters> = {},
) {
  const complete = { ...defaultParameters, ...parameters };
  const index = buildIndex(documents, complete);
  const synonyms = readSynonyms();
  const board = new Scoreboard(index, complete);
  const scores = new Float64Array(index.documentCount);
  const context = { index, board, scores, synonyms, parameters: complete };
  // The last search is kept, since the number and the fit of its results are asked for right after it
  let last: ReturnType<typeof rank> | undefined;
  const search = (query: string, { limit, accept }: RankOptions) => {
    const isLast = last?.text === query && last.limit === limit && last.accept === accept;
    return last = isLast ? last! : rank(query, { limit, accept }, context);
  };
  return {
    /** Returns documents that match `query`, best first; all documents for an empty query. */
    rank: (query: string, options: RankOptions) => search(query, options).found,
    count(query: string, options: Omit<RankOptions, "limit">) {
      return search(query, { ...options, limit: last?.limit ?? 0 }).count;
    },
    fit(query: string, options: RankOptions) {
      return fitOf({ ...search(query, options), scores }, index, documents);
    },
    score(query: string, options: RankOptions): ScoredDocument[] {
      const { found } = search(query, options);
      const falling = found.map((document) => scores[document]!).sort((a, b) => b - a);
      return found.map((document, at) => ({ document, score: falling[at]! }));
    },
    /** Counts results with at least `share` of the best score; `undefined` for a query of several sentences. */
    scoresOfBest(query: string, { share, ...options }: RankOptions & { readonly share: number }) {
      const { found, query: { sentenceCount } } = search(query, options);
      if (sentenceCount > 1) return undefined;
      const least = share * scores[found[0]!]!;
      const beyond = found.findIndex((document) => scores[document]! < least);
      return beyond === -1 ? found.length : beyond;
    },
    explain(query: string, options: RankOptions): ExplainedDocument[] {
      const { found, scored } = search(query, options);
      return found.map((document) => {
        return { document, score: scores[document]!, words: wordsIn(document, scored, index) };
      });
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
  const search: Search = { ...context, query, scored };
  const whole = findWhole(text.toLowerCase(), search);
  const found = board.matches(query.required, accept ?? (() => true));
  const isMatch = new Set(whole.size === 0 ? [] : found);
  for (const document of whole.keys()) {
    if (!isMatch.has(document) && accept?.(document) !== false) found.push(document);
  }
  const scoreOf = scorerOf(search, named, whole);
  for (const document of found) scores[document] = scoreOf(document);
  const most = Math.max(0, Math.min(Math.trunc(limit), index.documentCount));
  const { length: count } = found;
  const best = pick(found, most, search);
  return { text, limit, accept, query, count, found: best, scored, whole, named };
}

function scorerOf(
  { index, board, parameters, query, scored }: Search,
  { bonuses }: NamedOwners,
  whole: ReadonlyMap<number, number>,
): (document: number) => number {
  const { ownerOf, effectOf } = index;
  const covered = parameters.nameCovered * scored.worth;
  // Questions prefer tools that read; requests prefer tools that change something. 1% more queries rank the right tool
  // first
  const effect = parameters.effect * scored.worth;
  const effects = query.isQuestion
    ? { read: effect, write: effect / 2, destructive: 0 }
    : { read: 0, write: effect, destructive: effect };
  return (document) => {
    const owner = ownerOf[document]!;
    return board.own[document]! + covered * board.nameCovered(document) + board.ofOwner[owner]! +
      (bonuses.get(owner) ?? 0) * scored.ownerWorth +
      effects[effectOf[document] ?? "destructive"] + (whole.get(document) ?? 0);
  };
}

function findWhole(lowered: string, { index, parameters, query, scored }: Search) {
  const worth = Math.max(1, scored.worth);
  const { length } = query.words;
  const pairs = Math.min(10, Math.max(0.1, length * (length - 1) / 2));
  const bonus = Math.max(parameters.substring * worth * pairs, Number.MIN_VALUE);
  const bonuses = new Map<number, number>();
  const hasWhole = (texts: readonly string[]) => texts.some((text) => text.includes(lowered));
  for (const [document, texts] of index.documentTexts.entries()) {
    const isName = texts[0] === lowered;
    if (hasWhole(texts)) bonuses.set(document, isName ? bonus + 10 * worth : bonus);
  }
  const owners = new Set(index.ownerTexts.flatMap((texts, owner) => hasWhole(texts) ? owner : []));
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

const usedUp = 0.8;

/** Picks documents one by one, best first; words of a picked document count less for later documents. */
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
