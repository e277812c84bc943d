/** Defines the request of a search, what of a tool is searched, and one of its results. */

import { parseJsonText } from "../text/message_scan.ts";
import { isObject } from "../text/own_property.ts";
import { inputSchema } from "../tool/json_schema.ts";
import type { Effect, ObjectSchema, Tool } from "../tool/tool.ts";
import type { Document } from "./rank/document.ts";

/** The conditions of a search; all given ones must hold. */
export interface SearchRequest {
  /** The query is matched without regard to letter case; the empty text filters nothing. */
  readonly query?: string | undefined;
  /** The whole category, without regard to letter case. */
  readonly category?: string | undefined;
  /** The whole name of the CLI, without regard to letter case. */
  readonly cli?: string | undefined;
  /** The number of results or summaries. @default 10 */
  readonly limit?: number | undefined;
  /** The number of first results or summaries to leave out; if it is given, the answer counts its matches. */
  readonly offset?: number | undefined;
}

/** The number of results or summaries if the request has no limit. */
export const defaultLimit = 10;

/** One search result, with the keys of the tool contracts. */
export interface ToolIndexEntry {
  readonly tool_name: string;
  readonly description: string;
  readonly cli_name: string;
  readonly category: string | null;
  readonly tags: readonly string[];
  readonly input_schema: ObjectSchema;
  /** The contracts do not have this key. It is absent if the effect is unknown. */
  readonly effect?: Effect;
}

/** Returns the query that a model means: it may write `select:A,B`, the JSON of a call, or `*` for all. */
export function plainQuery(text: string): string {
  if (text.trim() === "*") return "";
  const call = parseJsonText(text);
  const word = isObject(call) ? Object.values(call).find((each) => typeof each === "string") : text;
  return (word ?? text).replace(/^\s*select:/, "");
}

/** Returns `schema` without its dialect and `additionalProperties: false`, which tell a caller nothing. */
export function briefSchema({ $schema: _, additionalProperties, ...schema }: ObjectSchema) {
  const says = isObject(additionalProperties) && Object.keys(additionalProperties).length > 0;
  return says ? { ...schema, additionalProperties } : schema;
}

/** Returns the search result for `tool`. */
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

/** Returns the test of the filters; undefined without a filter, which saves a pass over the tools. */
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

/** Returns the text of a tool for the ranking. An argument with a fixed value is not shown, so it is left out. */
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
