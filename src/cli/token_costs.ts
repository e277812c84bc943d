/** Estimates the tokens that a catalogue costs an agent, in discovery mode and in classic mode. */

import { answerText, type ResultFormat } from "../catalog/compact.ts";
import { toolIndexOf } from "../catalog/tool_index.ts";
import type { ToolTable } from "../catalog/tool_table.ts";
import { discoverySurface } from "../server/discovery.ts";
import { classicSurface, type ListedTool } from "../server/surface.ts";
import type { Session } from "../session/session.ts";
import { estimateTokens } from "../text/tokens.ts";

type CountTokens = (text: string) => number;

export async function tokenCosts(
  session: Session,
  count: CountTokens = (text) => estimateTokens(text),
) {
  const discovery = count(listJson(discoverySurface(session).list()));
  const classic = count(listJson(classicSurface(session).list()));
  const { index } = session;
  const contract = await answerCosts(index, "contract", count);
  const compact = await answerCosts(index, "compact", count);
  const tools = index.tools.length;
  const whole = discovery + contract.summary + contract.median;
  return {
    tools,
    discovery_list: discovery,
    classic_list: classic,
    summary: contract.summary,
    search_median: contract.median,
    search_largest: contract.largest,
    summary_compact: compact.summary,
    search_median_compact: compact.median,
    search_largest_compact: compact.largest,
    ...(tools > 0 && { pays_from: Math.ceil(whole / (classic / tools)) }),
  };
}

async function answerCosts(tools: ToolTable, format: ResultFormat, count: CountTokens) {
  const index = toolIndexOf(tools);
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

function listJson(tools: readonly ListedTool[]): string {
  return JSON.stringify({ tools: tools.map(({ _meta, ...shown }) => shown) });
}
