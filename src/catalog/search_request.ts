/** Defines the request of a search and one of its results. */

import { parseJsonText } from "../text/message_scan.ts";
import { isObject } from "../text/own_property.ts";
import { inputSchema } from "../tool/json_schema.ts";
import type { Effect, ObjectSchema, Tool } from "../tool/tool.ts";

/** The conditions of a search; all given ones must hold. */
export interface SearchRequest {
  /** The query is matched without regard to letter case; the empty text filters nothing. */
  readonly query?: string | undefined;
  /** The whole category, without regard to letter case. */
  readonly category?: string | undefined;
  /** The whole name of the CLI, without regard to letter case. */
  readonly cli?: string | undefined;
  /** @default 10 */
  readonly limit?: number | undefined;
  /** The number of results or summaries to leave out at the beginning; if it is given, the answer counts its matches. */
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
