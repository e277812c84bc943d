/** The two meta-tools as clients list them, as the contract has them (MCP Tool Contracts, 2026-02-21). */

import { callKeys } from "../call/envelope.ts";
import { defaultLimit } from "../catalog/search_request.ts";
import type { ToolTable } from "../catalog/tool_table.ts";
import { estimateTokens } from "../text/tokens.ts";
import { featureKinds } from "../tool/feature.ts";
import { argsSchema } from "../tool/json_schema.ts";
import type { Arg } from "../tool/tool.ts";
import { catalogueWords } from "./instructions.ts";
import type { ListedTool } from "./surface.ts";

/** The arguments of the search, like those of a tool: shown as a schema, then coerced. */
export const searchArgs: readonly Arg[] = [
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
export const kindArg: Arg = {
  ...textArg(
    "kind",
    "Search prompts or resources (data to read) of servers instead of tools. climax_call with the " +
      "`tool_name` of a result gets it",
  ),
  enum: featureKinds,
};

export const searchTool: ListedTool = {
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

export const callTool: ListedTool = {
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

/** As the contract has them, for a catalogue of command-line programs alone. */
export const metaTools = [searchTool, callTool] as const;

/** Most tokens more than those of the contract that name what there is. */
const maxNameTokens = 45;

/** For a catalogue with MCP servers, of which a description that speaks of command-line programs alone says nothing. */
export function metaToolsFor(index: ToolTable): readonly [ListedTool, ListedTool] {
  const summary = index.summary();
  const described = [160, 80, 0].map((room) => {
    return `Search the ${
      catalogueWords(summary, index, room)
    } by keyword, category, or the name of a ` +
      "program or server. Call with no filters to get a summary of all of them.";
  });
  const most = estimateTokens(searchTool.description) + maxNameTokens;
  const description = described.find((text) => estimateTokens(text) <= most) ?? described.at(-1)!;
  return [
    { ...searchTool, description, inputSchema: argsSchema(searchArgs.map(rewordForServers)) },
    { ...callTool, description: callTool.description.replace("CLI tool", "tool") },
  ];
}

function rewordForServers(arg: Arg): Arg {
  return {
    ...arg,
    description: arg.description.replace("CLI name", "program or server name").replace(
      "CLI category",
      "category",
    ),
  };
}

function textArg(name: string, description: string): Arg {
  return { name, description, type: "string", required: false, role: { kind: "positional" } };
}
