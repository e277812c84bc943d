/** Formats search answers as JSON (`--results contract`) or as lines (`--results compact`), which have fewer tokens. */

import { excerpt, listNames, quote } from "../text/excerpt.ts";
import { inOneLine, jsonInOneLine } from "../text/escape.ts";
import { isObject } from "../text/own_property.ts";
import { plural } from "../text/plural.ts";
import { splitWords, toTerm } from "../text/words.ts";
import { boundSchema } from "../tool/json_schema.ts";
import { lineOf, takesJob } from "../tool/signature.ts";
import type { Tool } from "../tool/tool.ts";
import { nameWords } from "../tool/type_words.ts";
import { answer, type SearchAnswer } from "./answer.ts";
import type { CliSummary } from "./summary.ts";
import { briefSchema, type SearchRequest, type ToolIndexEntry } from "./search_request.ts";
import type { ToolIndex } from "./tool_index.ts";

export const resultFormats = ["contract", "compact"] as const;

export type ResultFormat = typeof resultFormats[number];

export async function answerText(
  index: ToolIndex,
  request: SearchRequest,
  format: ResultFormat,
): Promise<string> {
  return formatAnswer(index, request, await answer(index, request), format);
}

export function formatAnswer(
  index: ToolIndex,
  request: SearchRequest,
  found: SearchAnswer,
  format: ResultFormat,
): string {
  if (format === "compact") return compactText(index, request, found);
  if (found.mode === "summary") return JSON.stringify(found);
  const isNamed = index.findNamed(request.query).length > 0;
  const results = isNamed ? found.results : found.results.map((each) => withUsual(each, request));
  return JSON.stringify({ ...found, results });
}

const maxArguments = 30;

function withUsual(entry: ToolIndexEntry, { query = "" }: SearchRequest): ToolIndexEntry {
  const { properties, required, description } = entry.input_schema;
  const all = Object.entries(isObject(properties) ? properties : {});
  if (all.length <= maxArguments) return entry;
  const needed = new Set(Array.isArray(required) ? required : []);
  const asked = termsOf(query);
  const placeOf = (name: string) =>
    needed.has(name) ? 0 : termsOf(name).isDisjointFrom(asked) ? 2 : 1;
  const order = all.toSorted(([a], [b]) => placeOf(a) - placeOf(b));
  const count = Math.max(maxArguments, needed.size);
  const left = order.slice(count).map(([name]) => name);
  const more = `The query ${quote(entry.tool_name)} shows ${plural(left.length, "more argument")}`;
  const note = `${more}: ${listNames(left, 100)}`;
  const input_schema = {
    ...entry.input_schema,
    description: typeof description === "string" ? `${description}\n${note}` : note,
    properties: Object.fromEntries(order.slice(0, count)),
  };
  return { ...entry, input_schema };
}

/** Results are shown as a line from 0.75 of the best score on, and with all their arguments from 0.9 on. */
const [leadingShare, levelShare] = [0.75, 0.9];
/** At least 2 results are shown as a line, since the first is not always the right tool, and at most 5. */
const [minShown, maxShown] = [2, 5];
/** At most this many results show all their arguments; later results show only required arguments. */
const maxWhole = 5;

function compactText(index: ToolIndex, request: SearchRequest, found: SearchAnswer): string {
  if (found.mode === "summary") {
    const text = [
      ...found.summary.map(summaryLine),
      ...rest(request, found.summary.length, index.summary().length),
    ];
    return text.join("\n") || "No programs";
  }
  const tools = found.results.flatMap(({ tool_name }) => index.get(tool_name) ?? []);
  const named = index.findNamed(request.query).filter((tool) => tools.includes(tool));
  if (named.length > 0) return named.map(wholeText).join("\n");
  const text = lines(index, request, tools).join("\n");
  return text || (request.limit === 0 ? "No tool was asked for: limit is 0" : "No tool matches");
}

function wholeText(tool: Tool): string {
  const { name, effect, description } = tool;
  const schema = briefSchema(boundSchema(tool));
  const job = { type: "boolean", description: "Return a background job at once" };
  const properties = { ...schema.properties, background: job };
  const input_schema = takesJob(tool) ? { ...schema, properties } : schema;
  return jsonInOneLine({ tool_name: name, effect, description, input_schema });
}

/** Formats results as lines. If the request sets no limit, results with low scores are given by name only. */
function lines(index: ToolIndex, request: SearchRequest, tools: readonly Tool[]): string[] {
  const isAsked = (request.limit ?? request.offset) !== undefined;
  const asked = termsOf(request.query ?? "");
  const named = tools.findIndex((tool) => !isNameOf(tool, asked));
  const levelOf = (share: number) => named > 0 ? named : index.scoresOfBest(request, share);
  const leading = isAsked ? undefined : levelOf(leadingShare);
  const shown = leading === undefined
    ? tools
    : tools.slice(0, Math.min(Math.max(leading, minShown), maxShown));
  const level = leading === undefined ? maxWhole : levelOf(levelShare)!;
  const whole = request.query || shown.length <= maxWhole ? level : 0;
  const isWanted = (name: string) => !termsOf(name).isDisjointFrom(asked);
  const text = shown.map((tool, place) => lineOf(tool, { isBrief: place >= whole, isWanted }));
  if (!request.query || request.offset !== undefined) {
    return [...text, ...rest(request, shown.length, index.count(request))];
  }
  const others = tools.slice(shown.length).map(({ name }) => nameWords(name));
  return others.length === 0 ? text : [...text, `… also ${others.join(", ")}`];
}

function termsOf(text: string): Set<string> {
  return new Set(splitWords(text).map(toTerm));
}

function isNameOf({ name, owner }: Tool, asked: ReadonlySet<string>): boolean {
  const words = termsOf(name);
  return asked.size > 0 && asked.isSubsetOf(words) &&
    words.isSubsetOf(asked.union(termsOf(owner.name)));
}

function rest({ offset }: SearchRequest, shown: number, all: number): string[] {
  const end = (offset ?? 0) + shown;
  if (shown === 0 || end >= all) return [];
  return [`… ${all - end} more with ${offset === undefined ? `limit ${all}` : `offset ${end}`}`];
}

const [maxSummaryLength, lookedAt] = [120, 1000];

function summaryLine({ name, description, tool_count, category }: CliSummary): string {
  const words = [plural(tool_count, "tool"), ...(category === null ? [] : [category])];
  const about = inOneLine(words.join(", "));
  const text = excerpt(inOneLine(description.slice(0, lookedAt)), maxSummaryLength);
  return `${inOneLine(name)} (${about})${text === "" ? "" : `: ${text}`}`;
}
