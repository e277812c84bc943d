/**
 * What single clients look for in the `_meta` of a tool. Claude Code names a server's tools to its model
 * without their schemas, which costs a turn to look up, and puts results of more than 50,000 characters or
 * 25,000 tokens into a file, of which the model sees the first 2 KB: both unless the tool says otherwise.
 */

import type { CallContext } from "../call/context.ts";
import type { ListedTool } from "./surface.ts";

/** The most that Claude Code takes for an answer. */
const mostCharacters = 500_000;

/** The hints of every tool whose results are truncated here. */
export function resultHints(
  { maxResultTokens }: Pick<CallContext, "maxResultTokens">,
): Pick<ListedTool, "_meta"> {
  // Without a bound of ours that of the client is the only one
  if (maxResultTokens === 0) return {};
  return { _meta: { "anthropic/maxResultSizeChars": mostCharacters } };
}

/** The same for a tool that is one of very few. */
export function metaToolHints(context: Pick<CallContext, "maxResultTokens">) {
  return { _meta: { "anthropic/alwaysLoad": true, ...resultHints(context)._meta } };
}
