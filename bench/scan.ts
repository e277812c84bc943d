/** The floor of every search: a plain scan for the whole query, as the contract has it. */

import type { RankingParameters } from "../src/catalog/rank/_parameters.ts";
import { rankingOf as makeRanking, type RankOptions } from "../src/catalog/rank/rank.ts";
import { toDocument } from "../src/catalog/search_request.ts";
import type { Tool } from "../src/tool/tool.ts";

/** Positions of the tools that answer a query. */
export type Search = (query: string, options: RankOptions) => number[];

/** Search as the contract has it, without ranking. */
export function scan(tools: readonly Tool[]): Search {
  const texts = tools.map(({ name, description, owner: cli }) =>
    [name, description, cli.name, cli.category ?? "", ...cli.tags].map((text) => text.toLowerCase())
  );
  return (query, { limit, accept }) => {
    const lowered = query.toLowerCase();
    const found: number[] = [];
    for (let tool = 0; tool < texts.length && found.length < limit; tool++) {
      if (accept && !accept(tool)) continue;
      if (texts[tool]!.some((text) => text.includes(lowered))) found.push(tool);
    }
    return found;
  };
}

/** climax's own ranking of `tools`, with `parameters` of its own. */
export function rankingOf(tools: readonly Tool[], parameters: Partial<RankingParameters> = {}) {
  return makeRanking(tools.map(toDocument), parameters);
}
