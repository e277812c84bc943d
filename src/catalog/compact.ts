/** Search results as lines instead of schemas, for few tokens. The exact name of a tool finds its whole schema. */

import { excerpt } from "../text/excerpt.ts";
import { inOneLine, jsonInOneLine } from "../text/escape.ts";
import { plural } from "../text/plural.ts";
import { boundSchema } from "../tool/json_schema.ts";
import { lineOf } from "../tool/signature.ts";
import type { Tool } from "../tool/tool.ts";
import { answer, type SearchAnswer } from "./answer.ts";
import type { CliSummary } from "./summary.ts";
import type { SearchRequest } from "./search_request.ts";
import type { ToolIndex } from "./tool_index.ts";

/** Results as the tool contracts have them; the same with schemas of the first few only; or a line for each tool. */
export const resultFormats = ["contract", "short", "compact"] as const;

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
  switch (format) {
    case "compact":
      return compactText(index, request, found);
    case "short":
      return JSON.stringify(shorten(index, request, found));
    default:
      return JSON.stringify(found);
  }
}

/** Results that keep their schema where the others have none; the right tool is nearly always one of them. */
const maxWithSchema = 3;

/** The results behind the first few by name, CLI and description. What the whole name finds is whole. */
function shorten(index: ToolIndex, { query = "" }: SearchRequest, found: SearchAnswer): object {
  if (found.mode === "summary") return found;
  const named = index.get(query.trim())?.name;
  const results = found.results.map((entry, place) => {
    const { tool_name, description, cli_name } = entry;
    const isWhole = place < maxWithSchema || tool_name === named;
    return isWhole ? entry : { tool_name, description, cli_name };
  });
  return { mode: found.mode, results };
}

/** Share of the best result's score from which others are shown unasked, see `docs/search.md`. */
const leadingShare = 0.85;
/** Results of which all arguments are shown; of those behind them, the ones that a call needs. */
const maxWhole = 5;

function compactText(index: ToolIndex, request: SearchRequest, found: SearchAnswer): string {
  if (found.mode === "summary") {
    const text = [...found.summary.map(summaryLine), ...rest(found.summary, index.summary())];
    return text.join("\n") || "No programs";
  }
  const tools = found.results.flatMap(({ tool_name }) => index.get(tool_name) ?? []);
  const named = request.query === undefined ? undefined : index.get(request.query.trim());
  if (named !== undefined && tools.includes(named)) return wholeText(named);
  const text = lines(index, request, tools).join("\n");
  return text || (request.limit === 0 ? "No tool was asked for: limit is 0" : "No tool matches");
}

/** All that a line may leave out; the schema's numbers are as config and policy have them. */
function wholeText(tool: Tool): string {
  const { name, effect, description } = tool;
  const input_schema = boundSchema(tool);
  return jsonInOneLine({ tool_name: name, effect, description, input_schema });
}

/** Without a limit in the request, results far below the best are only counted. */
function lines(index: ToolIndex, request: SearchRequest, tools: readonly Tool[]): string[] {
  const leading = request.limit === undefined
    ? index.scoresOfBest(request, leadingShare)
    : undefined;
  const shown = tools.slice(0, leading);
  // Without a query none of them is better than another
  const whole = request.query || shown.length <= maxWhole ? maxWhole : 0;
  const text = shown.map((tool, place) => lineOf(tool, { isBrief: place >= whole }));
  // What a filter lets through is a list with an end, what a query finds has none
  const all = request.query ? tools : index.search({ ...request, limit: Infinity });
  return [...text, ...rest(shown, all)];
}

function rest({ length: shown }: readonly unknown[], { length: all }: readonly unknown[]) {
  return shown === 0 || shown === all ? [] : [`… ${all - shown} more with limit ${all}`];
}

/** Characters of a program's description, and those that are looked at for them. */
const maxSummaryLength = 120;
const lookedAt = 1000;

function summaryLine({ name, description, tool_count, category }: CliSummary): string {
  const words = [plural(tool_count, "tool"), ...(category === null ? [] : [category])];
  const about = inOneLine(words.join(", "));
  const text = excerpt(inOneLine(description.slice(0, lookedAt)), maxSummaryLength);
  return `${inOneLine(name)} (${about})${text === "" ? "" : `: ${text}`}`;
}
