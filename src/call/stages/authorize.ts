/** Checks the values of a call against the config and the policy, in the contract's order. */

import { checkConstraints, checkLeadingDashes, checkLimits } from "../../policy/check.ts";
import { argumentStage } from "../../tool/runner.ts";
import { runnerOf } from "../context.ts";
import type { CoercedCall } from "../prepared_call.ts";
import { type RefusedCall, refuseValues } from "../refusal.ts";

export async function authorize<Call extends CoercedCall>(
  call: Call,
): Promise<Call | RefusedCall> {
  const { context, tool, values } = call;
  const { args, rule: origin } = tool;
  const location = runnerOf(context, tool).location?.(tool, values) ?? {};
  const dashes = checkLeadingDashes(args, values);
  if (dashes.length > 0) {
    return refuseValues(tool, { stage: argumentStage, objections: dashes, origin });
  }
  const limits = await checkLimits(args, values, location);
  if (limits.length > 0) {
    return refuseValues(tool, { stage: argumentStage, objections: limits, origin: "config" });
  }
  const objections = await checkConstraints(args, values, location);
  if (objections.length === 0) return call;
  return refuseValues(tool, { stage: "Policy validation", objections, origin });
}
