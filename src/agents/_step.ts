/** One answer of the model as traces and errors have it. */

import { monotonicNow } from "../process/monotonic.ts";
import type { StepResult, ToolSet } from "ai";
import type { StepRecord } from "./response.ts";
import type { Workbench } from "./workbench.ts";

/** The record of `step`, with the calls that `workbench` has carried out since the last one. */
export function recordOf(
  step: StepResult<ToolSet>,
  startedAt: number,
  workbench: Workbench,
): StepRecord {
  const { text, finishReason, usage, toolCalls } = step;
  // A call with errors of the model was never made
  const broken = toolCalls.filter((call) => call.invalid === true).map((call) => ({
    tool: call.toolName,
    input: call.input,
    isError: true,
    output: `Not called: ${
      call.error instanceof Error ? call.error.message : "the call is malformed"
    }`,
    startedAt,
    durationMs: 0,
  }));
  return {
    text,
    finishReason,
    usage: { inputTokens: usage.inputTokens ?? 0, outputTokens: usage.outputTokens ?? 0 },
    startedAt,
    durationMs: monotonicNow() - startedAt,
    calls: [...workbench.takeRecords(), ...broken],
  };
}
