/** A filter of tools in addition to the policy. */

import type { PolicyResult } from "../policy/load.ts";

/** Removes tools, and adds warnings that say why. */
export type ToolFilter = (
  loaded: Pick<PolicyResult, "tools" | "executor">,
) => Promise<Pick<PolicyResult, "tools" | "warnings">>;

export async function applyFilter(
  loaded: PolicyResult,
  narrow: ToolFilter | undefined,
): Promise<PolicyResult> {
  if (narrow === undefined || loaded.problems.length > 0) return loaded;
  const { tools, warnings } = await narrow(loaded);
  return { ...loaded, tools, warnings: [...loaded.warnings, ...warnings] };
}
