/**
 * Which tools answer a query, and in what order.
 *
 * The contract's whole-query match: a tool is found when its name, description, CLI name, category
 * or one of its tags contains the query, letter case aside.
 */

import type { Tool } from "../tool/tool.ts";

/** Settings of {@linkcode Ranking.rank}. */
export interface RankOptions {
  readonly limit: number;
  /** Whether the tool at this position may be a result. */
  readonly accept?: (tool: number) => boolean;
}

/** Answers queries over the tools it was built from. */
export interface Ranking {
  /** Positions of the tools that answer `query`, best first, ties in load order. */
  rank(query: string, options: RankOptions): number[];
}

/** Prepares `tools` for being searched. */
export function buildRanking(tools: readonly Tool[]): Ranking {
  const texts = tools.map((tool) => searchableTexts(tool).map((text) => text.toLowerCase()));
  return {
    rank(query, { limit, accept = () => true }) {
      const needle = query.toLowerCase();
      const found: number[] = [];
      for (const [position, fields] of texts.entries()) {
        if (found.length >= limit) break;
        if (fields.some((text) => text.includes(needle)) && accept(position)) found.push(position);
      }
      return found;
    },
  };
}

function searchableTexts(tool: Tool): string[] {
  const { cli } = tool;
  return [tool.name, tool.description, cli.name, cli.category ?? "", ...cli.tags];
}
