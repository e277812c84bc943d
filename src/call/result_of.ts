/** The outcome of a call as the result that a client gets. */

import { type CallResult, textResult } from "../tool/result.ts";
import { runningResult } from "./running_result.ts";
import type { Outcome } from "./pipeline.ts";

export function resultOf(outcome: Outcome): CallResult {
  switch (outcome.kind) {
    case "completed":
      return outcome.result;
    case "refused":
      // A question is no failure
      return {
        ...textResult(outcome.refusal.text, outcome.call.asked?.confirmation !== "asked"),
        refusedBy: outcome.refusal.rule,
      };
    case "unaudited":
      return textResult(outcome.text, true);
    case "background":
      return runningResult(outcome.job.view());
  }
}
