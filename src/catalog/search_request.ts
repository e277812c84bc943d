/** What a search of the catalogue takes, and one of its results. */

import { parseJsonText } from "../text/message_scan.ts";
import { isObject } from "../text/own_property.ts";
import { inputSchema } from "../tool/json_schema.ts";
import type { Effect, ObjectSchema, Tool } from "../tool/tool.ts";

/** What to look for; everything that is given must hold. */
export interface SearchRequest {
  /** Matched without regard to letter case; the empty string filters nothing. */
  readonly query?: string | undefined;
  /** The whole category, letter case aside. */
  readonly category?: string | undefined;
  /** The whole name of the CLI, letter case aside. */
  readonly cli?: string | undefined;
  /** @default 10 */
  readonly limit?: number | undefined;
}

/** Results or summaries where the request has no limit. */
export const defaultLimit = 10;

/** One search result, keys as the tool contracts have them. */
export interface ToolIndexEntry {
  readonly tool_name: string;
  readonly description: string;
  readonly cli_name: string;
  readonly category: string | null;
  readonly tags: readonly string[];
  readonly input_schema: ObjectSchema;
  /** Beyond the contracts; absent where it is not known. */
  readonly effect?: Effect;
}

/** The query that a model means: the names of `select:A,B`, the first text of a call's JSON, all with `*`. */
export function plainQuery(text: string): string {
  if (text.trim() === "*") return "";
  const call = parseJsonText(text);
  const word = isObject(call) ? Object.values(call).find((each) => typeof each === "string") : text;
  return (word ?? text).replace(/^\s*select:/, "");
}

/** `schema` without what tells a caller nothing: its dialect, and that there are no other names. */
export function briefSchema({ $schema: _, additionalProperties, ...schema }: ObjectSchema) {
  const says = isObject(additionalProperties) && Object.keys(additionalProperties).length > 0;
  return says ? { ...schema, additionalProperties } : schema;
}

/** The result that shows `tool`. */
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
