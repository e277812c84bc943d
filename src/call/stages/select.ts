/** Selects a part of the result, where the policy or the project's file says so. */

import type { ScheduledCall, Stage } from "../pipeline.ts";

export const select: Stage<ScheduledCall> = async (call, next) => {
  const outcome = await next(call);
  const { tool, options } = call;
  if (tool.select === undefined || outcome.kind !== "completed") return outcome;
  // Few tools need it
  const { selectedResult } = await import("../selected_result.ts");
  return { ...outcome, result: await selectedResult(outcome.result, tool.select, options) };
};
