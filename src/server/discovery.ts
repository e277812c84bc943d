/** Serves discovery mode: two meta-tools, with texts and schemas of the contract (MCP Tool Contracts, 2026-02-21). */

import { hasJobs } from "../call/background.ts";
import { call, refuseCall } from "../call/call.ts";
import { coerceArgs } from "../call/coerce.ts";
import type { CallContext } from "../call/context.ts";
import { callKeys, readCall } from "../call/envelope.ts";
import { unknownNote } from "../call/prepare.ts";
import { refusalResult, refuseArguments } from "../call/refusal.ts";
import { unknownTool } from "../call/unknown_tool.ts";
import { answer, answerNotes, type SearchAnswer } from "../catalog/answer.ts";
import { formatAnswer } from "../catalog/compact.ts";
import { fitAnswer } from "../catalog/fit_answer.ts";
import { toolIndexOf } from "../catalog/tool_index.ts";
import { defaultLimit, plainQuery, type SearchRequest } from "../catalog/search_request.ts";
import { type ToolTable, withoutClientPrefix } from "../catalog/tool_table.ts";
import { misspeltNames } from "../text/similar_names.ts";
import { estimateTokens } from "../text/tokens.ts";
import { annotationsOfAny } from "../tool/annotations.ts";
import { type FeatureKind, featureKinds, kindOfName } from "../tool/feature.ts";
import { argsSchema } from "../tool/json_schema.ts";
import { type CallResult, type ContentBlock, textOf, textResult } from "../tool/result.ts";
import type { Arg } from "../tool/tool.ts";
import {
  classicSurface,
  type FeatureSurface,
  type ListedTool,
  resultHints,
  type Surface,
  type SurfaceObserver,
  surfaceOver,
} from "./surface.ts";
import { catalogueWords, discoveryInstructions } from "./instructions.ts";

export async function openSurface(
  context: CallContext,
  { classic, observers }: {
    readonly classic: boolean | undefined;
    readonly observers: readonly SurfaceObserver[];
  },
): Promise<Surface> {
  const features = context.features &&
    (await import("./features.ts")).featureSurface(context.features, context);
  return (classic ? classicSurface : discoverySurface)(context, observers, features);
}

export function discoverySurface(
  context: CallContext,
  observers?: readonly SurfaceObserver[],
  features?: FeatureSurface,
): Surface {
  return surfaceOver(context, {
    instructions: (index) =>
      discoveryInstructions(index.summary(), context.results, {
        servers: index.servers,
        scripts: index.scripts,
        tools: index.tools,
        hasJobs: hasJobs(context),
        storesOutputs: context.storesOutputs?.(),
      }),
    list(index) {
      const annotations = { title: "Run a tool", ...annotationsOfAny(index.tools) };
      // Without `anthropic/alwaysLoad`, Claude Code shows its model only the names of the tools, without schemas
      const hints = { _meta: { "anthropic/alwaysLoad": true, ...resultHints(context) } };
      const [plain, call] = index.servers.size === 0 ? metaTools : metaToolsFor(index);
      const search = index.features.length === 0
        ? plain
        : { ...plain, inputSchema: argsSchema([...searchArgs, kindArg]) };
      return [{ ...search, ...hints }, { ...call, annotations, ...hints }];
    },
    call: (...request) => callMetaTool(context, ...request),
    features,
  }, observers);
}

const searchArgs: readonly Arg[] = [
  textArg(
    "query",
    "Search keyword (matched against tool name, description, CLI name, category, tags)",
  ),
  textArg("category", "Filter by CLI category (exact match, case-insensitive)"),
  textArg("cli", "Filter by CLI name (exact match, case-insensitive)"),
  {
    ...textArg("limit", "Maximum number of results to return (default: 10)"),
    type: "integer",
    default: defaultLimit,
  },
];

/** The contract's schema lacks `offset`, which climax accepts because CLImax 0.5 does. */
const offsetArg: Arg = { ...textArg("offset", "Matches to leave out at first"), type: "integer" };

/** Without prompts and resources, the argument `kind` is not listed: the schema must then be the contract's. */
const kindArg: Arg = {
  ...textArg(
    "kind",
    "Search prompts or resources (data to read) of servers instead of tools. climax_call with the " +
      "`tool_name` of a result gets it",
  ),
  enum: featureKinds,
};

const searchTool: ListedTool = {
  name: "climax_search",
  description: "Search for available CLI tools by keyword, category, or CLI name. " +
    "Call with no filters to get a summary of all available CLIs.",
  inputSchema: argsSchema(searchArgs),
  annotations: {
    title: "Search tools",
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
};

const callTool: ListedTool = {
  name: "climax_call",
  description: "Execute a CLI tool by name. " +
    "Use climax_search first to discover available tools and their argument schemas.",
  inputSchema: {
    type: "object",
    properties: {
      tool_name: {
        type: "string",
        description: "The exact name of the tool to execute (as returned by climax_search)",
      },
      args: {
        type: "object",
        description: "Arguments to pass to the tool (see tool's input_schema from climax_search)",
      },
    } satisfies Readonly<Record<keyof typeof callKeys, object>>,
    required: ["tool_name"],
  },
};

const metaTools = [searchTool, callTool] as const;

const maxNameTokens = 45;

/** Returns the meta-tools with texts that mention MCP servers: the contract's texts name command-line programs only. */
function metaToolsFor(index: ToolTable): readonly [ListedTool, ListedTool] {
  const summary = index.summary();
  const described = [160, 80, 0].map((room) =>
    `Search the ${catalogueWords(summary, index, room)} by keyword, category, or the name of a ` +
    "program or server. Call with no filters to get a summary of all of them."
  );
  const most = estimateTokens(searchTool.description) + maxNameTokens;
  const description = described.find((text) => estimateTokens(text) <= most) ?? described.at(-1)!;
  return [
    { ...searchTool, description, inputSchema: argsSchema(searchArgs.map(rewordForServers)) },
    { ...callTool, description: callTool.description.replace("CLI tool", "tool") },
  ];
}

function rewordForServers(arg: Arg): Arg {
  const description = arg.description.replace("CLI name", "program or server name")
    .replace("CLI category", "category");
  return { ...arg, description };
}

function textArg(name: string, description: string): Arg {
  return { name, description, type: "string", required: false, role: { kind: "positional" } };
}

async function callMetaTool(
  context: CallContext,
  ...[name, args, options]: Parameters<Surface["call"]>
): Promise<CallResult> {
  const given = (args ?? {}) as Record<string, unknown>;
  switch (name) {
    case searchTool.name:
      await context.gate.refresh?.(options.arrivedAt);
      return await search(context, given);
    case callTool.name: {
      const request = readCall(given, context.index);
      if ("reason" in request) {
        const takes = { name, args: [], input: callTool.inputSchema };
        return refuseCall(
          context,
          { tool: name },
          refuseArguments(takes, [request.reason]),
          options,
        );
      }
      const { tool } = request;
      const plain = withoutClientPrefix(tool);
      const meta = metaTools.find((each) => each.name === tool || each.name === plain);
      if (meta !== undefined && context.index.resolve(tool) === undefined) {
        return callMetaTool(context, meta.name, request.args, options);
      }
      return readable(tool, await call(context, request, options));
    }
    default: {
      const near = misspeltNames(name, metaTools.map((tool) => tool.name));
      if (near.length === 0 || context.index.resolve(name) !== undefined) {
        return readable(name, await call(context, { tool: name, args }, options));
      }
      return refuseCall(context, { tool: name }, unknownTool(name, near), options);
    }
  }
}

/** A query has at most this many characters: a longer text is no query, and takes seconds to split into words. */
const maxSearchLength = 4096;

const queryNames: readonly string[] = ["q", "keyword", "keywords", "queries", "search", "text"];

async function search(
  context: Pick<CallContext, "index" | "results" | "maxResultTokens">,
  given: Readonly<Record<string, unknown>>,
): Promise<CallResult> {
  const { index: tools, results, maxResultTokens } = context;
  const args = tools.features.length === 0 ? searchArgs : [...searchArgs, kindArg];
  const refuse = (reasons: readonly string[], help: readonly string[] = []) => {
    return refusalResult(refuseArguments({ name: searchTool.name, args }, reasons, help));
  };
  const isLong = Object.entries(given).flat()
    .some((text) => typeof text === "string" && text.length > maxSearchLength);
  if (isLong) return refuse([`A search has at most ${maxSearchLength} characters`]);
  const coercion = coerceArgs(
    { args: [...args, offsetArg] },
    given["kind"] === "" ? { ...given, kind: null } : given,
  );
  if (!coercion.ok) return refuse(coercion.reasons, coercion.help);
  const [key, ...others] = coercion.unknown.filter((each) => {
    return queryNames.includes(each) ||
      (typeof given[each] === "string" && given[each].length > 2);
  });
  if (key !== undefined && others.length === 0 && !coercion.values.get("query")) {
    const { [key]: query, ...rest } = given;
    return await search(context, { ...rest, query });
  }
  // Models send empty strings for arguments that they do not need, so these arguments count as absent
  const meant = [...coercion.values].filter(([, value]) => value !== "");
  const { limit, offset, kind, ...filters } = Object.fromEntries(meant) as KindRequest;
  const query = plainQuery(filters.query ?? "");
  const all = await toolIndexOf(tools);
  const index = kind === undefined ? all : all.ofKind(kind);
  for (const [name, number = 0] of Object.entries({ limit, offset })) {
    if (number >= 0) continue;
    return refuse([`Argument '${name}': expected a whole number from 0, found '${number}'`]);
  }
  const isAsked = given["limit"] !== undefined && given["limit"] !== null;
  const request = {
    ...filters,
    ...(filters.query === undefined ? {} : { query }),
    ...(isAsked ? { limit: limit! } : {}),
    ...(offset === undefined ? {} : { offset }),
  };
  const found = await answer(index, request, kind !== undefined);
  const format = (part: SearchAnswer) => formatAnswer(index, request, part, results);
  const { text, note } = fitAnswer(found, format, maxResultTokens);
  const about = { isCut: results !== "compact", what: kind ?? "tool" };
  const texts = [
    text,
    note,
    ...await answerNotes(index, request, found, about),
    unknownNote({ name: searchTool.name, args }, coercion.unknown),
  ].filter((each) => each !== undefined);
  return { content: texts.flatMap((each) => textResult(each).content), isError: false };
}

interface KindRequest extends SearchRequest {
  readonly kind?: FeatureKind;
}

/** Turns the content of a resource into text and images: some clients show their model no embedded resources. */
function readable(name: string, result: CallResult): CallResult {
  const isPlain = result.content.every(({ type }) => type !== "resource");
  if (isPlain || kindOfName(name) !== "resource") return result;
  return { ...result, content: result.content.map(readableBlock) };
}

function readableBlock(block: ContentBlock): ContentBlock {
  if (block.type !== "resource") return block;
  const { text, blob, mimeType = "" } = block.resource;
  if (text !== undefined) return { type: "text", text };
  const [type] = mimeType.split("/", 1);
  if (blob !== undefined && (type === "image" || type === "audio")) {
    return { type, data: blob, mimeType };
  }
  return { type: "text", text: textOf({ content: [block] }) };
}
