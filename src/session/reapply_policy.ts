/** Applies the policy to a catalogue that has changed while it is served. */

import { formatProblem } from "../errors.ts";
import { log } from "../log.ts";
import type { PolicyResult } from "../policy/load.ts";
import type { Tool } from "../tool/tool.ts";

/** The tools of `tools` that the policy allows. If the policy does not fit a changed tool, no new tool is added. */
export async function reapplyPolicy(
  tools: readonly Tool[],
  before: readonly Tool[],
  apply: (tools: readonly Tool[]) => Promise<PolicyResult>,
): Promise<readonly Tool[]> {
  const result = await apply(tools);
  if (result.problems.length === 0) return result.tools;
  for (const problem of result.problems) log("error", formatProblem(problem));
  log(
    "error",
    "The policy cannot be applied to the changed catalogue: new tools are left out",
  );
  const names = new Set(tools.map(({ name }) => name));
  return before.filter(({ name }) => names.has(name));
}
