/** What a search of the catalogue takes, and one of its results. */

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

/** The result that shows `tool`. */
export function entryOf(tool: Tool): ToolIndexEntry {
  return {
    tool_name: tool.name,
    description: tool.description,
    cli_name: tool.owner.name,
    category: tool.owner.category ?? null,
    tags: tool.owner.tags,
    input_schema: inputSchema(tool),
    ...(tool.effect === undefined ? {} : { effect: tool.effect }),
  };
}
