/** Converts a step of the model to the record of traces and errors. */

import type { StepResult, ToolSet } from "ai";
import type { StepRecord } from "./response.ts";
import type { Workbench } from "./workbench.ts";

/** `workbench` has the calls since the last step. */
export function recordOf(
  step: StepResult<ToolSet>,
  startedAt: number,
  workbench: Workbench,
): StepRecord {
  const { text, finishReason, usage, toolCalls } = step;
  // A call with invalid arguments was not made
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
    durationMs: workbench.clock.now() - startedAt,
    calls: [...workbench.takeRecords(), ...broken],
  };
}
