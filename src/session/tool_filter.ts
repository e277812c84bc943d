/** A filter of tools in addition to the policy. */

import type { PolicyResult } from "../policy/load.ts";
import type { WithheldTool } from "../tool/withheld_tool.ts";

/** The tools that are left, those that were removed, and warnings that say why. */
export interface FilteredTools extends Pick<PolicyResult, "tools" | "warnings"> {
  readonly withheld: readonly WithheldTool[];
}

export type ToolFilter = (
  loaded: Pick<PolicyResult, "tools" | "executor">,
) => Promise<FilteredTools>;

export async function applyFilter(
  loaded: PolicyResult,
  narrow: ToolFilter | undefined,
): Promise<PolicyResult & Pick<FilteredTools, "withheld">> {
  if (narrow === undefined || loaded.problems.length > 0) return { ...loaded, withheld: [] };
  const { tools, warnings, withheld } = await narrow(loaded);
  return { ...loaded, tools, withheld, warnings: [...loaded.warnings, ...warnings] };
}
