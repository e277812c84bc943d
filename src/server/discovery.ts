/**
 * Discovery, the default mode: two meta-tools, one that finds tools and one that calls them. Their
 * names, descriptions and input schemas are the contract's (MCP Tool Contracts, 2026-02-21).
 */

import { call } from "../call/call.ts";
import type { CallContext } from "../call/context.ts";
import { refusalText, unknownTool } from "../call/prepare.ts";
import {
  type CliSummary,
  defaultLimit,
  type SearchRequest,
  type ToolIndex,
  type ToolIndexEntry,
} from "../catalog/tool_index.ts";
import { describeValue } from "../document/document.ts";
import { nearNames } from "../text/near_names.ts";
import { type CallResult, textResult } from "../tool/result.ts";
import { discoveryInstructions } from "./instructions.ts";
import type { ListedTool, Surface } from "./surface.ts";

const searchTool: ListedTool = {
  name: "climax_search",
  description: "Search for available CLI tools by keyword, category, or CLI name. " +
    "Call with no filters to get a summary of all available CLIs.",
  inputSchema: {
    type: "object",
    properties: {
      query: {
        type: "string",
        description:
          "Search keyword (matched against tool name, description, CLI name, category, tags)",
      },
      category: {
        type: "string",
        description: "Filter by CLI category (exact match, case-insensitive)",
      },
      cli: {
        type: "string",
        description: "Filter by CLI name (exact match, case-insensitive)",
      },
      limit: {
        type: "integer",
        description: "Maximum number of results to return (default: 10)",
        default: 10,
      },
    },
  },
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
  annotations: {
    title: "Run a tool",
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  },
};

const metaTools = [searchTool, callTool];

/** The two meta-tools, whatever the catalogue holds. */
export function discoverySurface(context: CallContext): Surface {
  const { index } = context;
  return {
    instructions: discoveryInstructions(index.summary()),
    list: () => metaTools,
    async call(name, args, options) {
      const given = (args ?? {}) as Record<string, unknown>;
      switch (name) {
        case searchTool.name:
          return search(index, given);
        case callTool.name: {
          const { tool_name: tool } = given;
          if (typeof tool === "string") {
            return await call(context, { tool, args: given["args"] }, options);
          }
          return refuse([`Missing required argument 'tool_name': expected the name of a tool`]);
        }
        default: {
          const near = (wanted: string) => nearNames(wanted, metaTools.map((tool) => tool.name));
          return textResult(unknownTool({ near }, name), true);
        }
      }
    },
  };
}

/**
 * The answer to `climax_search`, one line of JSON: a summary when nothing filters, else the results.
 */
function search(index: ToolIndex, given: Readonly<Record<string, unknown>>): CallResult {
  const reasons: string[] = [];
  const text = (key: "query" | "category" | "cli"): string | undefined => {
    const value = given[key] ?? undefined;
    if (value === undefined || typeof value === "string") return value;
    reasons.push(`Argument '${key}': expected a string, found ${describeValue(value)}`);
    return undefined;
  };
  const request: SearchRequest = {
    ...optional("query", text("query")),
    ...optional("category", text("category")),
    ...optional("cli", text("cli")),
    limit: limitOf(given["limit"] ?? defaultLimit, reasons),
  };
  if (reasons.length > 0) return refuse(reasons);
  return textResult(JSON.stringify(answer(index, request)));
}

/** What a search comes to, keys as the tool contracts have them. */
export type SearchAnswer =
  | { readonly mode: "summary"; readonly summary: readonly CliSummary[] }
  | { readonly mode: "search"; readonly results: readonly ToolIndexEntry[] };

/** What `climax_search` and `climax search --json` print. */
export function answer(index: ToolIndex, request: SearchRequest): SearchAnswer {
  const { query, category, cli, limit = defaultLimit } = request;
  const isSummary = !query && category === undefined && cli === undefined;
  return isSummary
    ? { mode: "summary", summary: index.summary().slice(0, limit) }
    : { mode: "search", results: index.search(request) };
}

function limitOf(value: unknown, reasons: string[]): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= 0) return value;
  reasons.push(`Argument 'limit': expected a whole number from 0, found ${describeValue(value)}`);
  return 0;
}

function optional<K extends string>(key: K, value: string | undefined): { [P in K]?: string } {
  return value === undefined ? {} : { [key]: value } as { [P in K]?: string };
}

function refuse(reasons: readonly string[]): CallResult {
  return textResult(refusalText("Argument validation", reasons), true);
}
