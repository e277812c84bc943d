/** Defines the request of a search, which parts of a tool are searched, and the form of a result. */

import { parseJsonText } from "../text/message_scan.ts";
import { isObject } from "../text/own_property.ts";
import { inputSchema } from "../tool/json_schema.ts";
import type { Effect, ObjectSchema, Tool } from "../tool/tool.ts";
import type { Document } from "./rank/document.ts";

export interface SearchRequest {
  readonly query?: string | undefined;
  readonly category?: string | undefined;
  /** The name of a program or server, in any letter case. */
  readonly cli?: string | undefined;
  readonly limit?: number | undefined;
  /** How many results to skip. With `offset`, the answer also has the number of all matches. */
  readonly offset?: number | undefined;
}

export const defaultLimit = 10;

/** One search result, with the JSON keys of MCP Tool Contracts (2026-02-21) and `effect`. */
export interface ToolIndexEntry {
  readonly tool_name: string;
  readonly description: string;
  readonly cli_name: string;
  readonly category: string | null;
  readonly tags: readonly string[];
  readonly input_schema: ObjectSchema;
  /** Absent if the effect of the tool is unknown. */
  readonly effect?: Effect;
}

/** Returns the query that a model means if it sends `select:A,B`, the JSON of a call, or `*`. */
export function plainQuery(text: string): string {
  if (text.trim() === "*") return "";
  const call = parseJsonText(text);
  const word = isObject(call) ? Object.values(call).find((each) => typeof each === "string") : text;
  return (word ?? text).replace(/^\s*select:/, "");
}

export function briefSchema({ $schema: _, additionalProperties, ...schema }: ObjectSchema) {
  const says = isObject(additionalProperties) && Object.keys(additionalProperties).length > 0;
  return says ? { ...schema, additionalProperties } : schema;
}

export function entryOf(tool: Tool): ToolIndexEntry {
  return {
    tool_name: tool.name,
    description: tool.description,
    cli_name: tool.owner.name,
    category: tool.owner.category ?? null,
    tags: tool.owner.tags,
    input_schema: briefSchema(inputSchema(tool)),
    ...(tool.effect === undefined ? {} : { effect: tool.effect }),
  };
}

export function acceptOf(
  tools: readonly Tool[],
  { category, cli }: SearchRequest,
): ((position: number) => boolean) | undefined {
  if (category === undefined && cli === undefined) return undefined;
  const wantedCategory = category?.toLowerCase();
  const wantedCli = cli?.toLowerCase();
  return (position) => {
    const { owner } = tools[position]!;
    return (wantedCategory === undefined || owner.category?.toLowerCase() === wantedCategory) &&
      (wantedCli === undefined || owner.name.toLowerCase() === wantedCli);
  };
}

/** Returns the texts by which search ranks a tool, without arguments of fixed value, which agents do not see. */
export function toDocument(tool: Tool): Document {
  const { name, description, owner, effect, examples = [], aliases = [] } = tool;
  const args = tool.args.filter(({ fixed }) => fixed === undefined);
  return {
    name,
    description,
    owner,
    parameters: args.map((arg) => ({
      name: arg.name,
      texts: [arg.description, (arg.list?.enum ?? arg.enum ?? []).join(" ")],
    })),
    examples: [...examples, ...aliases],
    ...(effect === undefined ? {} : { effect }),
  };
}
