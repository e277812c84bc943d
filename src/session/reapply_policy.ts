/** The policy over a catalogue that has changed while it was served. */

import { formatProblem } from "../errors.ts";
import { log } from "../log.ts";
import type { PolicyResult } from "../policy/load.ts";
import type { Tool } from "../tool/tool.ts";

/**
 * The tools of `tools` that the policy leaves, as `apply` applies it. If the policy does not fit what a source
 * has made of a tool, no new tool comes in.
 */
export async function reapplyPolicy(
  tools: readonly Tool[],
  before: readonly Tool[],
  apply: (tools: readonly Tool[]) => Promise<PolicyResult>,
): Promise<readonly Tool[]> {
  const held = await apply(tools);
  if (held.problems.length === 0) return held.tools;
  for (const problem of held.problems) log("error", formatProblem(problem));
  log(
    "error",
    "The policy cannot be applied to the changed catalogue: new tools are left out",
  );
  const names = new Set(tools.map(({ name }) => name));
  return before.filter(({ name }) => names.has(name));
}
