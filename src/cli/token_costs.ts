/** Estimates the tokens that a catalogue costs an agent, in discovery mode and in classic mode. */

import { answerText, type ResultFormat } from "../catalog/compact.ts";
import { toolIndexOf } from "../catalog/tool_index.ts";
import type { ToolTable } from "../catalog/tool_table.ts";
import { classicSurface, type ListedTool } from "../server/surface.ts";
import { discoverySurface } from "../server/discovery.ts";
import type { Session } from "../session/session.ts";
import { estimateTokens } from "../text/tokens.ts";

/** The number of tools, and the tokens of the texts that an agent reads. */
export interface TokenCosts {
  readonly tools: number;
  /** The tokens of `tools/list` in discovery mode, with `climax_search` and `climax_call`. */
  readonly discovery_list: number;
  /** The tokens of `tools/list` in classic mode, with every tool. */
  readonly classic_list: number;
  /** The tokens of `climax_search` without arguments. */
  readonly summary: number;
  /** The tokens of ten search results: the median and the largest over one search for each tool's name. */
  readonly search_median: number;
  readonly search_largest: number;
  /** The same three numbers for `--results compact`. */
  readonly summary_compact: number;
  readonly search_median_compact: number;
  readonly search_largest_compact: number;
  /** From this number of tools of the mean size on, discovery mode costs less than classic; absent without tools. */
  readonly pays_from?: number;
}

type CountTokens = (text: string) => number;

/** Estimates the tokens of `session`'s catalogue, or counts them with the tokenizer `count`. */
export async function tokenCosts(
  session: Session,
  count: CountTokens = (text) => estimateTokens(text),
): Promise<TokenCosts> {
  const discovery = count(listJson(discoverySurface(session).list()));
  const classic = count(listJson(classicSurface(session).list()));
  const { index } = session;
  const { summary, median, largest } = await answerCosts(index, "contract", count);
  const compact = await answerCosts(index, "compact", count);
  const tools = index.tools.length;
  return {
    tools,
    discovery_list: discovery,
    classic_list: classic,
    summary,
    search_median: median,
    search_largest: largest,
    summary_compact: compact.summary,
    search_median_compact: compact.median,
    search_largest_compact: compact.largest,
    ...(tools === 0
      ? {}
      : { pays_from: Math.ceil((discovery + summary + median) / (classic / tools)) }),
  };
}

async function answerCosts(tools: ToolTable, format: ResultFormat, count: CountTokens) {
  // A search for a whole name returns that tool's full schema in the compact format, so `_` and `-` become spaces
  const index = toolIndexOf(tools);
  // At most two hundred names of tools are searched for, evenly spread
  const step = Math.max(1, Math.ceil(index.tools.length / 200));
  const queries = index.tools.filter((_, position) => position % step === 0)
    .map(({ name }) => name.replaceAll(/[_-]/g, " "));
  const texts = await Promise.all(queries.map((query) => answerText(index, { query }, format)));
  const searches = texts.map((text) => count(text)).toSorted((a, b) => a - b);
  return {
    summary: count(await answerText(index, {}, format)),
    median: searches[Math.floor(searches.length / 2)] ?? 0,
    largest: searches.at(-1) ?? 0,
  };
}

/** Returns the list without the fields that are for the client and that models do not read. */
function listJson(tools: readonly ListedTool[]): string {
  return JSON.stringify({ tools: tools.map(({ _meta, ...shown }) => shown) });
}
