/** What leaves less of the tools than the policy does. */

import type { PolicyResult } from "../policy/load.ts";

/** Takes out tools, and says why. */
export type ToolFilter = (
  loaded: Pick<PolicyResult, "tools" | "executor">,
) => Promise<Pick<PolicyResult, "tools" | "warnings">>;

/** What `narrow` leaves of what was loaded. */
export async function applyFilter(
  loaded: PolicyResult,
  narrow: ToolFilter | undefined,
): Promise<PolicyResult> {
  if (narrow === undefined || loaded.problems.length > 0) return loaded;
  const { tools, warnings } = await narrow(loaded);
  return { ...loaded, tools, warnings: [...loaded.warnings, ...warnings] };
}
