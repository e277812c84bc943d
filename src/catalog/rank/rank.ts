/**
 * Ranked search over a catalogue of tools.
 *
 * A query finds every tool whose text contains it, as the search contract asks, and the tools that
 * share words with it, best first. Which filters exist and how answers look is decided elsewhere;
 * nothing here reads or writes anything.
 *
 * One search: read the query → score every tool → find substrings → refine the best → spread. The
 * scores of a search stand in arrays that the next search uses again.
 */

import type { Tool } from "../../tool/tool.ts";
import { buildIndex, type CatalogueIndex } from "./_catalogue_index.ts";
import { type ExplainedTool, Explanation, type Onlooker } from "./explanation.ts";
import { findContaining } from "./_haystack.ts";
import { findNamedOwners } from "./_named_owners.ts";
import { defaultParameters, type RankingParameters } from "./_parameters.ts";
import { type Query, readQuery } from "./_query.ts";
import { createRefinement } from "./_refinement.ts";
import { type Accepted, Scoreboard, type Scores } from "./_scoreboard.ts";
import { selectBest } from "./_selection.ts";
import { readSentences } from "./_sentences.ts";
import { pickSpread } from "./_spread.ts";
import { readSynonyms, type Synonyms } from "./_synonyms.ts";

/** Characters of a query that are read for ranking; the rest only counts for the substring. */
const longestRanked = 512;
/** How many of the best tools get the passes after the first. */
const mostRefined = 64;

/** How to rank. */
export interface RankOptions {
  /** Most results wanted. */
  readonly limit: number;
  /**
   * Whether a tool, given by its index, passes the filters.
   * @default every tool
   */
  readonly accept?: (tool: number) => boolean;
}

/** A catalogue that can be searched. */
export interface Ranking {
  /**
   * Indexes of the tools that match `query`, best first, equals in load order.
   *
   * The empty query matches every tool.
   */
  rank(query: string, options: RankOptions): number[];
  /** The same with what each is worth for the query, in no unit; not yet spread over sentences. */
  score(query: string, options: RankOptions): ScoredTool[];
  /**
   * How many of the first of `rank` are worth at least `share` of the very first. All of them where the
   * query has several sentences, which may each want another tool.
   */
  leading(query: string, options: RankOptions & { readonly share: number }): number;
  /** The same tools in the same order as `rank`, each with why it stands there. */
  explain(query: string, options: RankOptions): ExplainedTool[];
}

/** A tool, given by its index, and what it is worth. */
export interface ScoredTool {
  readonly tool: number;
  readonly score: number;
}

/** Indexes `tools` for searching; `parameters` change the ranking, to measure its parts. */
export function buildRanking(
  tools: readonly Tool[],
  parameters: Partial<RankingParameters> = {},
): Ranking {
  const complete = { ...defaultParameters, ...parameters };
  const index = buildIndex(tools, complete);
  const board = new Scoreboard(index, complete);
  const synonyms = readSynonyms((word) => index.vocabulary.toTerm(word));
  const context = { index, board, synonyms, parameters: complete };
  return {
    rank: (query, options) => rank(query, options, context),
    score(query, options) {
      const found = rank(query, options, context);
      return found.map((tool) => ({ tool, score: board.scores[tool]! }))
        .sort((a, b) => b.score - a.score || a.tool - b.tool);
    },
    leading(query, { share, ...options }) {
      const found = rank(query, options, context);
      const sentences = readSentences(query.slice(0, longestRanked), complete);
      if (sentences.length > 1) return found.length;
      const least = share * board.scores[found[0]!]!;
      const beyond = found.findIndex((tool) => board.scores[tool]! < least);
      return beyond === -1 ? found.length : beyond;
    },
    explain(query, options) {
      const onlooker = new Explanation(index, board.scores);
      const found = rank(query, options, { ...context, onlooker });
      return found.map((tool) => onlooker.of(tool));
    },
  };
}

interface RankingContext {
  readonly index: CatalogueIndex;
  readonly board: Scoreboard;
  readonly synonyms: Synonyms;
  readonly parameters: RankingParameters;
  /** Told of each step; absent: nobody asks why. */
  readonly onlooker?: Onlooker;
}

interface Search extends RankingContext {
  readonly query: Query;
  readonly scored: Scores;
  readonly withinOwner: boolean;
  readonly scores: Float64Array;
}

function rank(text: string, { limit, accept }: RankOptions, context: RankingContext): number[] {
  const { index, board, onlooker } = context;
  const count = Math.min(Math.trunc(limit), index.tools.length);
  if (!(count > 0)) return [];
  const accepted = accept && findAccepted(index.tools.length, accept);
  const withinOwner = accepted !== undefined && isOneOwner(accepted, index);
  const query = readQuery(text.slice(0, longestRanked), { ...context, withinOwner });
  const scored = board.score(query, accepted);
  const search = { ...context, query, scored, withinOwner, scores: board.scores };
  onlooker?.scored(scored);
  onlooker?.after("words");
  addNamedOwners(search);
  onlooker?.after("named program");
  const others = addSubstrings(text.toLowerCase(), accepted, search);
  onlooker?.after("whole query");
  const matches = others.length === 0 ? scored.matches : [...scored.matches, ...others];
  const best = selectBest(matches, Math.max(count, mostRefined), board.scores);
  const found = finish(best, count, search);
  onlooker?.after("name and neighbours");
  return found;
}

function findAccepted(toolCount: number, accept: (tool: number) => boolean): Accepted {
  const mask = new Uint8Array(toolCount);
  const tools: number[] = [];
  for (let tool = 0; tool < toolCount; tool++) {
    if (!accept(tool)) continue;
    mask[tool] = 1;
    tools.push(tool);
  }
  return { mask, tools };
}

function isOneOwner({ tools }: Accepted, { ownerOf }: CatalogueIndex): boolean {
  return tools.every((tool) => ownerOf[tool] === ownerOf[tools[0]!]);
}

function addNamedOwners({ index, parameters, query, scored, scores }: Search): void {
  const bonuses = findNamedOwners(query.words, index, parameters);
  if (bonuses.size === 0) return;
  for (const tool of scored.matches) {
    const bonus = bonuses.get(index.ownerOf[tool]!);
    if (bonus !== undefined) scores[tool]! += bonus * scored.worth;
  }
}

/** Raises the tools whose text contains the query; gives those that no word of it had found. */
function addSubstrings(lowered: string, accepted: Accepted | undefined, search: Search): number[] {
  const { index, parameters, query, scored, scores } = search;
  const worth = Math.max(1, scored.worth);
  // Within other words, a short query is found by chance: it counts little beside whole words.
  const bonus = parameters.substring * worth * (query.words.length > 1 ? 1 : 0.1);
  const others: number[] = [];
  for (const tool of findTools(lowered, index)) {
    if (accepted && accepted.mask[tool] === 0) continue;
    if (scores[tool] === 0) others.push(tool);
    const { name } = index.tools[tool]!;
    const isName = name.length <= lowered.length && name.toLowerCase() === lowered;
    scores[tool]! += bonus + (isName ? 10 * worth : 0);
  }
  return others;
}

/** The tools whose own text or whose owner's text contains `lowered`. */
function findTools(lowered: string, { toolText, ownerText, ownerOf }: CatalogueIndex): number[] {
  const tools = findContaining(toolText, lowered);
  const owners = findContaining(ownerText, lowered);
  if (owners.length === 0) return tools;
  const isFound = new Uint8Array(ownerText.starts.length - 1);
  for (const owner of owners) isFound[owner] = 1;
  const ofOwners = Array.from(ownerOf.keys()).filter((tool) => isFound[ownerOf[tool]!] === 1);
  return [...new Set([...tools, ...ofOwners])];
}

function finish(best: readonly number[], count: number, search: Search): number[] {
  const { query, scored, scores, parameters } = search;
  const refined = best.slice(0, mostRefined);
  if (scored.clauses.length > 0) {
    const bonusOf = createRefinement(search);
    for (const tool of refined) scores[tool]! += bonusOf(tool);
  }
  const first = selectBest(refined, refined.length, scores);
  const isSpread = parameters.spread > 0 && query.sentenceCount > 1 && scored.clauses.length > 0;
  const ordered = isSpread ? pickSpread(first, count, search) : first;
  return [...ordered, ...best.slice(mostRefined)].slice(0, count);
}
