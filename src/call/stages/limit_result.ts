/** Truncates a result to the token bound. */

import { isBuiltin } from "../../tool/tool.ts";
import { truncateResult } from "../truncate_result.ts";
import { promisedSchema } from "../background.ts";
import type { ScheduledCall, Stage } from "../pipeline.ts";

export const limitResult: Stage<ScheduledCall> = async (call, next) => {
  const outcome = await next(call);
  // Built-in tools bound their own results, and the result of a job is bounded already
  if (outcome.kind !== "completed" || isBuiltin(outcome.call.tool)) return outcome;
  if (outcome.result.isWhole || outcome.call.options.parent !== undefined) return outcome;
  const { context: { keep, maxResultTokens, background }, tool, options: { owner } } = outcome.call;
  const result = await truncateResult(outcome.result, {
    maxTokens: maxResultTokens,
    keep: (text) => keep?.(text, owner),
    promisesStructure: promisedSchema(background, tool) !== undefined,
  });
  return { ...outcome, result };
};
