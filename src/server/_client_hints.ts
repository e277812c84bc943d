/**
 * Hints for single clients in the `_meta` of a tool. Without them, Claude Code shows its model the name of a tool
 * without its schema, which costs a turn to look up, and writes results of more than 50,000 characters or 25,000 tokens
 * to a file, of which the model sees the first 2 KB.
 */

import type { CallContext } from "../call/context.ts";
import type { ListedTool } from "./surface.ts";

/** Most characters that Claude Code accepts. */
const mostCharacters = 500_000;

/** Hints for tools whose results are truncated by climax. */
export function resultHints(
  { maxResultTokens }: Pick<CallContext, "maxResultTokens">,
): Pick<ListedTool, "_meta"> {
  // Without a bound here, that of the client is the only one
  if (maxResultTokens === 0) return {};
  return { _meta: { "anthropic/maxResultSizeChars": mostCharacters } };
}

/** Hints for a tool that is one of very few. */
export function metaToolHints(context: Pick<CallContext, "maxResultTokens">) {
  return { _meta: { "anthropic/alwaysLoad": true, ...resultHints(context)._meta } };
}
