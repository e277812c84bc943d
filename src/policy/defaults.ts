/** Warns of defaults that a call would be refused for: legal, and never intended. */

import type { Runner } from "../tool/runner.ts";
import type { ArgValue, Tool } from "../tool/tool.ts";
import { checkConstraints, checkLeadingDashes } from "./check.ts";
import { checkLimits } from "./limits.ts";

/** One warning for each default that the policy of `tool`, or the rule on dashes, refuses. */
export async function checkDefaults(tool: Tool, runner: Runner | undefined): Promise<string[]> {
  const { name, args } = tool;
  const defaults = new Map(args.flatMap((arg): [string, ArgValue][] => {
    const value = arg.fixed ?? arg.default;
    return value === undefined ? [] : [[arg.name, value]];
  }));
  const location = runner?.location?.(tool, defaults) ?? {};
  const refusals = [
    ...checkLeadingDashes(args, defaults),
    ...await checkLimits(args, defaults, location),
    ...await checkConstraints(args, defaults, location),
  ];
  return refusals.map(({ text }) => `Tool '${name}' is refused without that argument: ${text}`);
}
