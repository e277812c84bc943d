/**
 * `climax stats`: what a catalogue costs an agent in tokens, shown as meta-tools and shown whole,
 * and from how many tools on discovery pays.
 */

import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import type { ToolIndex } from "../../catalog/tool_index.ts";
import { bundledConfigs } from "../../sources/command/bundled.ts";
import { ExitCode } from "../../errors.ts";
import { classicSurface } from "../../server/classic.ts";
import { answer } from "../../catalog/answer.ts";
import { discoverySurface } from "../../server/discovery.ts";
import type { ListedTool } from "../../server/surface.ts";
import { openSession } from "../../session.ts";
import { print, table } from "../output.ts";

/** Settings of `climax stats`. */
export interface StatsCommandOptions {
  /** Default: all bundled ones. */
  readonly config?: readonly string[];
  readonly policy?: string;
  readonly strict?: boolean;
  readonly json?: boolean;
}

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

/** Counts and prints. */
export async function statsCommand(options: StatsCommandOptions): Promise<ExitCode> {
  const { config = [...bundledConfigs.keys()], policy, strict } = options;
  const session = await openSession({ configs: config, policy, strict });
  const discovery = countTokens(listJson(discoverySurface(session).list()));
  const classic = countTokens(listJson(classicSurface(session).list()));
  const costs = await costsOf(session.index, discovery, classic);
  await print(options.json ? JSON.stringify(costs, null, 2) : describe(costs));
  return ExitCode.ok;
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

function describe(costs: TokenCosts): string {
  const { pays_from: from } = costs;
  const rows = [
    ["tools/list, discovery", costs.discovery_list],
    [`tools/list, classic (${costs.tools} tools)`, costs.classic_list],
    ["summary", costs.summary],
    ["search answer, median", costs.search_median],
    ["search answer, largest", costs.search_largest],
  ].map(([what, count]) => [String(what), String(count)]);
  const verdict = from === undefined
    ? ""
    : `\n\nWith tools of this size, discovery costs less from ${from} tools on`;
  return table(["WHAT AN AGENT READS", "TOKENS"], rows) + verdict;
}
