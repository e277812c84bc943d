/** What a catalogue costs an agent in tokens, shown as meta-tools and shown whole. */

import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { answer } from "../catalog/answer.ts";
import type { ToolIndex } from "../catalog/tool_index.ts";
import { classicSurface } from "../server/classic.ts";
import { discoverySurface } from "../server/discovery.ts";
import type { ListedTool } from "../server/surface.ts";
import type { Session } from "../session.ts";

/** Tokens (o200k) of what an agent reads. */
export interface TokenCosts {
  readonly tools: number;
  /** `tools/list` with the two meta-tools. */
  readonly discovery_list: number;
  /** `tools/list` with every tool. */
  readonly classic_list: number;
  /** `climax_search` without arguments. */
  readonly summary: number;
  /** Answers of ten results, one for every tool's name as the query: the median and the largest. */
  readonly search_median: number;
  readonly search_largest: number;
  /**
   * The number of tools, of this catalogue's mean size, from which the meta-tools, a summary and one
   * search of median size cost less than showing every tool; absent when there are no tools.
   */
  readonly pays_from?: number;
}

/** Counts what the tools of `session` cost. */
export async function tokenCosts(session: Session): Promise<TokenCosts> {
  const discovery = countTokens(listJson(discoverySurface(session).list()));
  const classic = countTokens(listJson(classicSurface(session).list()));
  return await costsOf(session.index, discovery, classic);
}

async function costsOf(index: ToolIndex, discovery: number, classic: number): Promise<TokenCosts> {
  const answers = await Promise.all(sampleOf(index).map((query) => answer(index, { query })));
  const searches = answers.map(tokens).toSorted((a, b) => a - b);
  const summary = tokens(await answer(index, {}));
  const median = searches[Math.floor(searches.length / 2)] ?? 0;
  const count = index.tools.length;
  return {
    tools: count,
    discovery_list: discovery,
    classic_list: classic,
    summary,
    search_median: median,
    search_largest: searches.at(-1) ?? 0,
    ...(count === 0
      ? {}
      : { pays_from: Math.ceil((discovery + summary + median) / (classic / count)) }),
  };
}

/** Queries that stand for all: tool names, at most two hundred, evenly spread. */
function sampleOf({ tools }: ToolIndex): string[] {
  const step = Math.max(1, Math.ceil(tools.length / 200));
  return tools.filter((_, position) => position % step === 0).map(({ name }) => name);
}

function listJson(tools: readonly ListedTool[]): string {
  return JSON.stringify({ tools });
}

function tokens(value: object): number {
  return countTokens(JSON.stringify(value));
}
