/** A catalogue that changes while it is served: one change after the other, each held by the policy. */

import { formatProblem, messageOf } from "./errors.ts";
import { log } from "./log.ts";
import type { PolicyResult } from "./policy/load.ts";
import type { Tool } from "./tool/tool.ts";

/** Makes other tools of those there are. */
type Step = (before: readonly Tool[]) => Promise<readonly Tool[]>;

/** Runs steps one after the other, each with what the one before gave. */
export function turnsOf(first: readonly Tool[]): (step: Step) => Promise<void> {
  let last = Promise.resolve(first);
  return async (step) => {
    last = last.then(async (before) => {
      try {
        return await step(before);
      } catch (error) {
        log("error", `The catalogue is unchanged: ${messageOf(error)}`);
        return before;
      }
    });
    await last;
  };
}

/**
 * What `hold`, the policy, leaves of `tools`. Where it does not fit what a source has made of a tool, what
 * is not as it was before does not come in.
 */
export async function heldAgain(
  tools: readonly Tool[],
  before: readonly Tool[],
  hold: (tools: readonly Tool[]) => Promise<PolicyResult>,
): Promise<readonly Tool[]> {
  const held = await hold(tools);
  if (held.problems.length === 0) return held.tools;
  for (const problem of held.problems) log("error", formatProblem(problem));
  log(
    "error",
    "The policy cannot be applied to the changed catalogue: new tools are left out",
  );
  const names = new Set(tools.map(({ name }) => name));
  return before.filter(({ name }) => names.has(name));
}
