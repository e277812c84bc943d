/**
 * A scripted agent over a file of queries: it searches, reads nothing but the answers, and has succeeded
 * when it knows of a wanted tool every argument, and the calls that it writes from that are let
 * through. What it reads and writes on the way is counted in tokens (o200k).
 *
 * It knows the wanted tool when it sees it, so that formats are compared and no model is measured.
 */

import { isDeepStrictEqual } from "node:util";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { prepareCall } from "../../src/call/prepare.ts";
import type { ResultFormat } from "../../src/catalog/compact.ts";
import { discoverySurface } from "../../src/server/discovery.ts";
import type { Surface } from "../../src/server/surface.ts";
import { openSession, type Session } from "../../src/session/session.ts";
import { bundledConfigs } from "../../src/sources/command/bundled.ts";
import { type Arg, maxItems, type Tool } from "../../src/tool/tool.ts";
import {
  type Kind,
  type KnownArgument,
  type KnownTool,
  readJson,
  readLines,
} from "./_compact_reader.ts";
import type { QueryRow } from "./_query_sets.ts";

/** What the agent came to, over all queries. */
export interface AgentRun {
  readonly queries: number;
  /** Queries of which a wanted tool was found, and all that calling it takes. */
  readonly succeeded: number;
  /** Of those, tools of which a call was let through. */
  readonly called: number;
  /** Searches, and tokens of them and their answers, of a query in the mean. */
  readonly searches: number;
  readonly tokens: number;
}

/** Sends the agent through `rows` over `configs`, the bundled ones if nobody says. */
export async function runAgent(
  rows: readonly QueryRow[],
  results: ResultFormat,
  configs: readonly string[] = [...bundledConfigs.keys()],
): Promise<AgentRun> {
  await using session = await openSession({ configs, results });
  const surface = discoverySurface(session);
  let [succeeded, called, searches, tokens] = [0, 0, 0, 0];
  for (const row of rows) {
    const costs = { searches: 0, tokens: 0 };
    const known = await learn(row, surface, results, costs);
    const tool = known && session.index.get(known.name);
    // Schemas as the contract has them say nothing of ranges
    const knows = tool !== undefined && knowsAll(tool, known!, { ranges: results === "compact" });
    if (knows) succeeded++;
    if (knows && await isCallable(session, known!)) called++;
    searches += costs.searches;
    tokens += costs.tokens;
  }
  const { length } = rows;
  return {
    queries: length,
    succeeded,
    called,
    searches: searches / length,
    tokens: tokens / length,
  };
}

interface Costs {
  searches: number;
  tokens: number;
}

/** Searches until a wanted tool is known, or there is nothing more to ask for. */
async function learn(
  { query, want, filter }: QueryRow,
  surface: Surface,
  format: ResultFormat,
  costs: Costs,
): Promise<KnownTool | undefined> {
  const wanted = new Set(want.flat());
  const search = async (args: Readonly<Record<string, unknown>>): Promise<string> => {
    const { content } = await surface.call("climax_search", args, {});
    const texts = content.map((block) => block.type === "text" ? block.text : "");
    costs.searches++;
    costs.tokens += countTokens(JSON.stringify(args));
    costs.tokens += texts.reduce((sum, text) => sum + countTokens(text), 0);
    return texts[0]!;
  };
  const isWanted = ({ name }: KnownTool) => wanted.has(name);
  const first = await search({ query, ...filter });
  if (format === "contract") return readJson(first).find(isWanted);
  const { tools, others, limit } = readLines(first);
  const named = others.find((name) => wanted.has(name));
  if (named !== undefined) return readJson(await search({ query: named })).find(isWanted);
  const found = tools.find(isWanted) ??
    (limit === undefined
      ? undefined
      : readLines(await search({ query, ...filter, limit })).tools.find(isWanted));
  return found?.isCut ? readJson(await search({ query: found.name })).find(isWanted) : found;
}

/** Whether what is known of `tool` is what there is to know, argument by argument. */
export function knowsAll(
  tool: Pick<Tool, "args">,
  { args }: Pick<KnownTool, "args">,
  { ranges }: { readonly ranges: boolean },
): boolean {
  const shown = tool.args.filter(({ fixed }) => fixed === undefined);
  return shown.length === args.size && shown.every((arg) => {
    const truth = truthOf(arg, ranges);
    const { isRequired, type, values, min, max, items } = args.get(arg.name) ?? {} as KnownArgument;
    const read = { isRequired, type, values, min, max, items: items && narrowed(items) };
    return isDeepStrictEqual(plain(read), plain(truth));
  });
}

function truthOf(arg: Arg, withRanges: boolean): Record<string, unknown> {
  const { limits = {}, list } = arg;
  const range = withRanges ? { min: limits.min, max: limits.max } : {};
  return {
    isRequired: arg.required,
    type: arg.type === "json" ? "any" : arg.type,
    values: arg.enum,
    ...(list === undefined ? range : {
      min: list.min === 0 ? undefined : list.min,
      max: list.max === maxItems ? undefined : list.max,
      items: { type: list.type, values: list.enum, ...range },
    }),
  };
}

function narrowed({ type, values, min, max }: Kind): Record<string, unknown> {
  return { type, values, min, max };
}

/** Without what is undefined. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** Whether a call with every argument is let through, or one with those that it cannot do without. */
async function isCallable(session: Session, { name, args }: KnownTool): Promise<boolean> {
  for (const isWhole of [true, false]) {
    const given = [...args].filter(([, { isRequired }]) => isWhole || isRequired)
      .map(([arg, kind]) => [arg, valueOf(kind)]);
    const prepared = await prepareCall(session, { tool: name, args: Object.fromEntries(given) });
    if (prepared.ok) return true;
  }
  return false;
}

function valueOf({ type, values, min, max, items }: Kind): unknown {
  if (values !== undefined) return values[0];
  switch (type) {
    case "integer":
    case "number":
      return min ?? max ?? 1;
    case "boolean":
      return true;
    case "array":
      return [valueOf(items!)];
    default:
      return "x";
  }
}
