/** Compares the tools of a catalogue with those that exist and cannot be called. */

import type { Tool, WithheldTool } from "../tool/tool.ts";
import { rankingOf } from "./rank/rank.ts";
import { acceptOf, type SearchRequest, toDocument } from "./search_request.ts";

/** A tool that cannot be called is near if it is among so many of the first in a ranking of all tools. */
const maxNear = 5;
/** If a tool that can be called fits, a near one must also have this share of its score. */
const levelShare = 0.9;

/** The tools that cannot be called and are near to a query, best first. */
export interface Near {
  readonly tools: readonly WithheldTool[];
  /** The first one's score, as a multiple of the best of those that can be called; 0 if it does not fit the query. */
  readonly times: number;
}

/**
 * Returns a search for the tools of `others` that are near to a query. One ranking has them and `tools`.
 * `isWanted` is true if those of `tools` seem not to do what the query asks for.
 */
export function compareWith(
  tools: readonly Tool[],
  others: readonly WithheldTool[],
): (request: SearchRequest, isWanted: boolean) => Near {
  if (others.length === 0) return () => ({ tools: [], times: 0 });
  const all = [...tools, ...others.map(({ tool }) => tool)];
  const ranking = rankingOf(all.map(toDocument));
  return ({ query = "", ...filters }, isWanted) => {
    const options = { limit: all.length, accept: acceptOf(all, filters) };
    const found = ranking.score(query, options);
    const best = found.find(({ document }) => document < tools.length)?.score ?? Number.MIN_VALUE;
    const near = found.slice(0, maxNear).filter(({ document, score }) => {
      return document >= tools.length && (isWanted || score >= levelShare * best);
    });
    return {
      tools: near.map(({ document }) => others[document - tools.length]!),
      times: near.length === 0 || ranking.fit(query, options).isWeak ? 0 : near[0]!.score / best,
    };
  };
}
