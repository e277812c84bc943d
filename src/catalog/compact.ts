/**
 * Search results as lines instead of schemas: what an agent needs to call a tool right, for a
 * fraction of the tokens. The whole schema of one tool is what its exact name finds.
 */

import { excerpt } from "../text/excerpt.ts";
import { plural } from "../text/plural.ts";
import { lineOf } from "../tool/signature.ts";
import { answer, type SearchAnswer } from "./answer.ts";
import type { CliSummary, SearchRequest, ToolIndex } from "./tool_index.ts";

/** What results look like: as the tool contracts have them, or a line for each tool. */
export const resultFormats = ["contract", "compact"] as const;

/** One of {@linkcode resultFormats}. */
export type ResultFormat = typeof resultFormats[number];

/** What `climax_search` answers in `format`. */
export async function answerText(
  index: ToolIndex,
  request: SearchRequest,
  format: ResultFormat,
): Promise<string> {
  return formatAnswer(index, request, await answer(index, request), format);
}

/** The same when it has `found` this. */
export function formatAnswer(
  index: ToolIndex,
  request: SearchRequest,
  found: SearchAnswer,
  format: ResultFormat,
): string {
  return format === "compact" ? compactText(index, request, found) : JSON.stringify(found);
}

function compactText(index: ToolIndex, { query }: SearchRequest, found: SearchAnswer): string {
  if (found.mode === "summary") return found.summary.map(summaryLine).join("\n") || "No programs";
  const named = query === undefined ? undefined : index.get(query);
  const exact = found.results.find(({ tool_name }) => tool_name === named?.name);
  if (exact !== undefined) return JSON.stringify(exact);
  const tools = found.results.flatMap(({ tool_name }) => index.get(tool_name) ?? []);
  return tools.map(lineOf).join("\n") || "No tool matches";
}

function summaryLine({ name, description, tool_count, category }: CliSummary): string {
  const about = [plural(tool_count, "tool"), ...(category === null ? [] : [category])].join(", ");
  const text = excerpt(description.replace(/\s+/g, " ").trim(), 120);
  return `${name} (${about})${text === "" ? "" : `: ${text}`}`;
}
