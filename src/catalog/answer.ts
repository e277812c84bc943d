/** Answers a search, for an agent and at the command line. */

import { excerpt, quote } from "../text/excerpt.ts";
import { nearNames } from "../text/similar_names.ts";
import { plural } from "../text/plural.ts";
import type { WithheldTool } from "../tool/tool.ts";
import type { CliSummary } from "./summary.ts";
import { defaultLimit, type SearchRequest, type ToolIndexEntry } from "./search_request.ts";
import type { ToolIndex } from "./tool_index.ts";
import { climax } from "../process/own_command.ts";

const maxNamed = 10;
const maxElsewhere = 3;
const maxAbsent = 3;
const maxNameLength = 100;

/** The answer of `climax_search`, with the JSON keys of MCP Tool Contracts (2026-02-21). */
export type SearchAnswer =
  & (
    | { readonly mode: "summary"; readonly summary: readonly CliSummary[] }
    | { readonly mode: "search"; readonly results: readonly ToolIndexEntry[] }
  )
  & Partial<AnswerPage>;

interface AnswerPage {
  readonly total_matches: number;
  readonly offset: number;
  readonly returned: number;
  readonly has_more: boolean;
}

export async function answer(
  index: ToolIndex,
  request: SearchRequest,
  isOfKind = false,
): Promise<SearchAnswer> {
  const { query, category, cli, limit = defaultLimit, offset = 0 } = request;
  if (!isOfKind && !query && category === undefined && cli === undefined) {
    const summary = index.summary().toSorted(({ name: one }, { name: other }) => {
      return Number(index.scripts.has(other)) - Number(index.scripts.has(one));
    });
    const isLast = request.limit === undefined && summary.length - offset === limit + 1;
    const shown = summary.slice(offset, offset + limit + Number(isLast));
    // Some clients hide notes in later content blocks from the model, so the JSON itself says that the list is cut
    const isCut = shown.length > 0 && shown.length < summary.length;
    const page = isCut ? { ...request, offset } : request;
    return { mode: "summary", ...pageOf(page, shown, summary.length), summary: shown };
  }
  const found = await index.find(offset === 0 ? request : { ...request, limit: offset + limit });
  const results = found.slice(offset);
  return { mode: "search", ...pageOf(request, results, index.count(request)), results };
}

function pageOf({ offset }: SearchRequest, { length: returned }: readonly unknown[], all: number) {
  if (offset === undefined) return {};
  const total_matches = returned === 0 ? all : Math.max(all, offset + returned);
  return { total_matches, offset, returned, has_more: offset + returned < total_matches };
}

export function isEmpty(found: SearchAnswer): boolean {
  return found.mode === "search" && found.results.length === 0;
}

export async function answerNotes(
  index: ToolIndex,
  request: SearchRequest,
  found: SearchAnswer,
  { isCut = true, what = "tool", limit = "limit" } = {},
): Promise<string[]> {
  return [
    isEmpty(found) ? hintOf(index, request) : undefined,
    await weaknessOf(index, request, isEmpty(found)),
    index.isEmbedding && request.query
      ? "Found by words alone: the tools are still being embedded for search by meaning"
      : undefined,
    isCut ? cutOf(index, request, found, { what, limit }) : undefined,
    found.mode === "search" ? absenceOf(index, request) : undefined,
  ].filter((note) => note !== undefined);
}

export const nextSteps = () =>
  `${climax()} generate PROGRAM makes tools from the help of a program, ${climax()} add NAME adds an MCP server`;
const maxUnknown = 5;
const farTimes = 1.8;

export async function weaknessOf(
  index: ToolIndex,
  request: SearchRequest,
  isNothing = false,
): Promise<string | undefined> {
  const fit = index.fit(request);
  if (fit === undefined) return undefined;
  const { unknown, undone } = fit;
  const isWanted = isNothing || fit.isWeak || fit.isChange;
  const withheld = await index.nearUncallable("withheld", request, isWanted);
  const [first, ...more] = withheld.tools;
  const others = more.filter(({ unnamed }) => unnamed === undefined).map(nameOf);
  const isMissing = first === undefined && (isNothing || fit.isDoubtful);
  const notLoaded = isMissing && await index.nearUncallable("notLoaded", request, true);
  const needed = isNothing || fit.isWeak ? 1 : farTimes;
  const [loadable] = notLoaded && notLoaded.times > needed ? notLoaded.tools : [];
  const words = unknown.slice(0, maxUnknown).map(short).join(", ");
  const nothing = [
    "Nothing fits well",
    ...(words === "" ? [] : [`no tool has the words: ${words}`]),
    ...(undone === undefined || unknown.includes(undone)
      ? []
      : [`the first result does not ${short(undone)}`]),
  ].join("; ");
  const lines = [
    ...(!isNothing && (fit.isWeak || loadable !== undefined) ? [nothing] : []),
    ...(first === undefined ? [] : [first.unnamed ?? first.explanation]),
    ...(others.length === 0 ? [] : [`Not callable either: ${others.join(", ")}`]),
    ...(loadable === undefined ? [] : [loadable.explanation]),
  ];
  return lines.length === 0 ? undefined : lines.join("\n");
}

function nameOf({ tool }: WithheldTool): string {
  return short(tool.name);
}

function cutOf(
  index: ToolIndex,
  request: SearchRequest,
  found: SearchAnswer,
  { what, limit }: Readonly<Record<"what" | "limit", string>>,
) {
  if (request.offset !== undefined) return undefined;
  const [shown, all, noun] = found.mode === "summary"
    ? [found.summary.length, index.summary().length, "program"]
    : [found.results.length, index.count(request), what];
  if (shown >= all) return undefined;
  const narrows = request.query ? "" : ", a query narrows";
  return `[${shown} of ${plural(all, noun)}; ${limit} shows more${narrows}]`;
}

/** Returns why a search found nothing: a filter left nothing, or a name is misspelt. */
export function hintOf(index: ToolIndex, request: SearchRequest): string | undefined {
  const { query = "", category, cli, limit = defaultLimit } = request;
  if (limit === 0 || index.search({ ...request, limit: 1 }).length > 0) return undefined;
  if (category === undefined && cli === undefined) return nearMisses(index, query);
  const within = index.search({ ...request, query: "", limit: maxNamed + 1 });
  const unfiltered = query === "" ? [] : index.search({ query, limit: maxElsewhere });
  return [
    ...(within.length === 0 ? wrongFilter(index, request) : nothingWithin(request, within)),
    ...(unfiltered.length === 0 ? [] : [`Found without the filter: ${toolNames(unfiltered)}`]),
  ].join("\n");
}

/** Names the servers that do not answer, each with the reason. */
export function absenceOf(index: ToolIndex, { cli }: SearchRequest): string | undefined {
  const wanted = index.absent.filter(({ name }) => {
    return cli === undefined || name.toLowerCase() === cli.toLowerCase();
  });
  if (wanted.length === 0) return undefined;
  const lines = wanted.slice(0, maxAbsent).map((owner) => owner.explain());
  const rest = wanted.length - lines.length;
  return ["Not searched:", ...lines, ...(rest > 0 ? [`… and ${rest} more servers`] : [])].join(
    "\n",
  );
}

function nearMisses(index: ToolIndex, query: string): string | undefined {
  const owners = index.summary().flatMap(({ name, category }) => [name, category ?? name]);
  const near = new Set([...index.near(query.trim()), ...nearNames(query.trim(), new Set(owners))]);
  return near.size === 0 ? undefined : `Did you mean: ${[...near].map(short).join(", ")}`;
}

function nothingWithin(request: SearchRequest, within: readonly ToolIndexEntry[]): string[] {
  const { query, category, cli } = request;
  const places = [
    ...(cli === undefined ? [] : [`CLI ${quote(cli)}`]),
    ...(category === undefined ? [] : [`category ${quote(category)}`]),
  ];
  const line = `No tool of ${places.join(" and ")} matches ${quote(query ?? "")}`;
  if (within.length > maxNamed) return [line];
  return [line, `${within.length === 1 ? "Its tool" : "Its tools"}: ${toolNames(within)}`];
}

function wrongFilter(index: ToolIndex, { category, cli }: SearchRequest): string[] {
  const owners = index.summary();
  const names = owners.map(({ name }) => name);
  const categories = [...new Set(owners.flatMap(({ category }) => category ?? []))];
  if (cli !== undefined && !includes(names, cli)) return unknown("CLI", cli, names);
  if (category !== undefined && !includes(categories, category)) {
    return unknown("category", category, categories);
  }
  const where = category === undefined ? "available" : `in category ${quote(category)}`;
  return [cli === undefined ? `No tool is ${where}` : `No tool of CLI ${quote(cli)} is ${where}`];
}

function unknown(what: string, name: string, known: readonly string[]): string[] {
  const near = nearNames(name, known);
  const line = `There is no ${what} ${quote(name)}`;
  if (near.length > 0) return [line, `Did you mean: ${near.map(short).join(", ")}`];
  if (known.length === 0 || known.length > maxNamed) return [line];
  return [line, `There ${known.length === 1 ? "is" : "are"}: ${known.map(short).join(", ")}`];
}

function includes(names: readonly string[], wanted: string): boolean {
  return names.some((name) => name.toLowerCase() === wanted.toLowerCase());
}

function toolNames(tools: readonly ToolIndexEntry[]): string {
  return tools.map(({ tool_name }) => short(tool_name)).join(", ");
}

function short(name: string): string {
  return excerpt(name, maxNameLength);
}
