/** Narrows a search by category, program and effect, in addition to its query. */

import type { SearchRequest } from "./search_request.ts";
import type { Tool } from "../tool/tool.ts";

/** Whether a tool is looked at. */
export type Filter = (tool: Tool) => boolean;

/** What a request filters by; nothing when it does not, which spares a look at every tool. */
export function filterOf(
  { category, cli }: Pick<SearchRequest, "category" | "cli">,
): Filter | undefined {
  if (category === undefined && cli === undefined) return undefined;
  const wantedCategory = category?.toLowerCase();
  const wantedCli = cli?.toLowerCase();
  return (tool) =>
    (wantedCategory === undefined || tool.owner.category?.toLowerCase() === wantedCategory) &&
    (wantedCli === undefined || tool.owner.name.toLowerCase() === wantedCli);
}
