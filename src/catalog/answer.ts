/** What a search is answered with, the same for an agent and for a person at the command line. */

import {
  type CliSummary,
  defaultLimit,
  type SearchRequest,
  type ToolIndex,
  type ToolIndexEntry,
} from "./tool_index.ts";

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
