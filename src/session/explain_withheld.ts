/** Explains a call of a tool that is withheld, and is no unknown tool. */

import type { LoadResult } from "../sources/source.ts";
import type { Tool } from "../tool/tool.ts";
import type { FilteredTools } from "./tool_filter.ts";

export interface WithholdingTools {
  /** What sources withhold: the policy has not seen it. */
  readonly loaded: ReadonlyMap<unknown, LoadResult>;
  /** What the filter has removed of the tools that the policy allows. */
  readonly result: Pick<FilteredTools, "withheld">;
  /** A tool that no list has, as the policy leaves it; nothing for one that it denies. */
  readonly allow: (tool: Tool) => Promise<Tool | undefined>;
}

/** The explanation for the tool `name`, if there is such a tool for this caller. */
export async function explainWithheld(
  name: string,
  { loaded, result, allow }: WithholdingTools,
): Promise<string | undefined> {
  const removed = result.withheld.find(({ tool }) => tool.name === name);
  if (removed !== undefined) return removed.explanation;
  const all = loaded.values().flatMap(({ withheld = [] }) => withheld);
  const found = all.find(({ tool }) => tool.name === name);
  return found && await allow(found.tool) && found.explanation;
}
