/**
 * Discovery mode, the default: two meta-tools, one that finds tools and one that calls them. Names, descriptions and
 * input schemas are those of the contract (MCP Tool Contracts, 2026-02-21).
 */

import { call, refuseCall } from "../call/first_call.ts";
import { coerceArgs } from "../call/coerce.ts";
import type { CallContext } from "../call/context.ts";
import { refusalText } from "../call/refusal.ts";
import { unknownTool } from "../call/stages/resolve.ts";
import { absenceOf, answer, answerOfKind, hintOf, isEmpty } from "../catalog/answer.ts";
import { formatAnswer, type ResultFormat } from "../catalog/compact.ts";
import { defaultLimit, type SearchRequest } from "../catalog/search_request.ts";
import type { ToolIndex } from "../catalog/tool_index.ts";
import { describeValue } from "../text/describe_value.ts";
import { estimateTokens } from "../text/tokens.ts";
import { nearNames } from "../text/similar_names.ts";
import { type FeatureKind, featureKinds, kindOfName } from "../tool/feature.ts";
import { type CallResult, type ContentBlock, textOf, textResult } from "../tool/result.ts";
import { annotationsOfAny } from "../tool/annotations.ts";
import { argsSchema } from "../tool/json_schema.ts";
import { argumentStage } from "../tool/runner.ts";
import type { Arg } from "../tool/tool.ts";
import { metaToolHints } from "./_client_hints.ts";
import { catalogueWords } from "./_catalogue_words.ts";
import { discoveryInstructions } from "./instructions.ts";
import { excessOf, scanMessage } from "../text/message_scan.ts";
import { type ListedTool, type Surface, type SurfaceObserver, surfaceOver } from "./surface.ts";

/** The arguments of the search, like those of a tool: shown as a schema, then coerced. */
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

/** Only where there are prompts or resources: otherwise the schema is that of the contract. */
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
    },
    required: ["tool_name"],
  },
};

/** As the contract has them, for a catalogue of command-line programs alone. */
const metaTools = [searchTool, callTool] as const;

/** Most tokens more than those of the contract that name what there is. */
const mostNameTokens = 45;

/** For a catalogue with MCP servers, of which a description that speaks of command-line programs alone says nothing. */
function metaToolsFor(index: ToolIndex): readonly [ListedTool, ListedTool] {
  const [summary, servers] = [index.summary(), index.servers];
  const described = [160, 80, 0].map((room) => {
    return `Search the ${
      catalogueWords(summary, servers, room)
    } by keyword, category, or the name of a ` +
      "program or server. Call with no filters to get a summary of all of them.";
  });
  const most = estimateTokens(searchTool.description) + mostNameTokens;
  const description = described.find((text) => estimateTokens(text) <= most) ?? described.at(-1)!;
  return [
    { ...searchTool, description, inputSchema: argsSchema(searchArgs.map(wordedForServers)) },
    { ...callTool, description: callTool.description.replace("CLI tool", "tool") },
  ];
}

function wordedForServers(arg: Arg): Arg {
  return {
    ...arg,
    description: arg.description.replace("CLI name", "program or server name").replace(
      "CLI category",
      "category",
    ),
  };
}

/** The two meta-tools are the same for every catalogue of command-line programs. */
export function discoverySurface(
  context: CallContext,
  observers?: readonly SurfaceObserver[],
): Surface {
  return surfaceOver(context, {
    instructions: (index) => discoveryInstructions(index.summary(), context.results, index.servers),
    list(index) {
      const annotations = { title: "Run a tool", ...annotationsOfAny(index.tools) };
      const hints = metaToolHints(context);
      const [plain, call] = index.servers.size === 0 ? metaTools : metaToolsFor(index);
      const search = index.features.length === 0
        ? plain
        : { ...plain, inputSchema: argsSchema([...searchArgs, kindArg]) };
      return [{ ...search, ...hints }, { ...call, annotations, ...hints }];
    },
    async call(name, args, options) {
      const given = (args ?? {}) as Record<string, unknown>;
      switch (name) {
        case searchTool.name:
          await context.gate.refresh?.(options.arrivedAt);
          return await search(context, given);
        case callTool.name: {
          const { tool_name: tool } = given;
          if (typeof tool === "string") {
            const request = { tool, args: objectIn(given["args"]) };
            return readable(tool, await call(context, request, options));
          }
          const reason = tool === undefined || tool === null
            ? "Missing required argument 'tool_name': expected the name of a tool"
            : `Argument 'tool_name': expected the name of a tool, found ${describeValue(tool)}`;
          const text = refusalText(argumentStage, [reason]);
          return refuseCall(context, { tool: name }, { text, rule: "arguments" }, options);
        }
        default: {
          const near = (wanted: string) => nearNames(wanted, metaTools.map((tool) => tool.name));
          const text = unknownTool({ near }, name);
          return refuseCall(context, { tool: name }, { text, rule: "unknown tool" }, options);
        }
      }
    },
  }, observers);
}

/** Parses arguments that a model sent as the JSON text of an object. */
function objectIn(args: unknown): unknown {
  if (typeof args !== "string" || !/^\s*\{/.test(args)) return args;
  if (excessOf(scanMessage(new TextEncoder().encode(args))) !== undefined) return args;
  try {
    return JSON.parse(args);
  } catch {
    return args;
  }
}

/**
 * The answer to `climax_search`: a summary without filters, otherwise the results; one line of JSON, or a line for
 * each. If a filter excludes everything, a second text says what exists.
 */
async function search(
  { index: all, results }: { readonly index: ToolIndex; readonly results: ResultFormat },
  given: Readonly<Record<string, unknown>>,
): Promise<CallResult> {
  const args = all.features.length === 0 ? searchArgs : [...searchArgs, kindArg];
  const coercion = coerceArgs({ args }, given["kind"] === "" ? { ...given, kind: null } : given);
  if (!coercion.ok) return refuse(coercion.reasons);
  // Models send an empty string for arguments that they do not need
  const meant = [...coercion.values].filter(([, value]) => value !== "");
  const { limit, kind, ...filters } = Object.fromEntries(meant) as KindRequest;
  const index = kind === undefined ? all : all.ofKind(kind);
  if (limit! < 0) {
    return refuse([`Argument 'limit': expected a whole number from 0, found '${limit}'`]);
  }
  // The default limit may be lowered, a given one may not
  const isAsked = given["limit"] !== undefined && given["limit"] !== null;
  const request = isAsked ? { ...filters, limit: limit! } : filters;
  const found = kind === undefined
    ? await answer(index, request)
    : await answerOfKind(index, request);
  const { content } = textResult(formatAnswer(index, request, found, results));
  const hint = isEmpty(found) ? hintOf(index, request) : undefined;
  const absent = found.mode === "search" ? absenceOf(index, request) : undefined;
  // Not part of the answer, whose format the contract defines
  const notes = [hint, absent].filter((note) => note !== undefined);
  return {
    content: [...content, ...notes.flatMap((note) => textResult(note).content)],
    isError: false,
  };
}

/** A search of tools, or of one kind of features. */
interface KindRequest extends SearchRequest {
  readonly kind?: FeatureKind;
}

/** The content of a resource in the forms that every client shows its model. */
function readable(name: string, result: CallResult): CallResult {
  if (kindOfName(name) !== "resource") return result;
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

function textArg(name: string, description: string): Arg {
  return { name, description, type: "string", required: false, role: { kind: "positional" } };
}

function refuse(reasons: readonly string[]): CallResult {
  return textResult(refusalText(argumentStage, reasons), true);
}
