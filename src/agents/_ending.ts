/** The ending of a request to a sub-agent, in words. */

import type { FinishReason } from "ai";
import { excerpt } from "../text/excerpt.ts";
import { plural } from "../text/plural.ts";
import type { AgentBudget } from "./budget.ts";
import type { AgentUsage, StepRecord } from "./response.ts";

/** Most characters of the last answer of the model in an error. */
const wordsLength = 1000;

/** Most calls in an error. */
const callsListed = 20;

/** An answer, or an error with the last words of the model. */
export interface AgentEnding {
  readonly text: string;
  readonly error?: string;
}

/** The ending of a request whose last step ended for `finishReason`. */
export function endingOf(
  { text, finishReason, tokens }: {
    readonly text: string;
    readonly finishReason: FinishReason;
    /** Those that count for the budget. */
    readonly tokens: number;
  },
  steps: readonly StepRecord[],
  { maxSteps, maxTokens }: AgentBudget,
): AgentEnding {
  switch (finishReason) {
    case "tool-calls":
      return {
        text,
        error: steps.length >= maxSteps
          ? `Step limit of the request reached: ${maxSteps} (--max-steps)`
          : `Token limit of the request reached: ${tokens} of ${maxTokens} (--max-tokens)`,
      };
    case "content-filter":
      return { text, error: "The model refused to answer (content filter)" };
    case "length":
      return { text, error: "The model's answer was cut off: it is longer than the limit" };
    default:
      return text.trim() === "" ? { text, error: "The model ended without an answer" } : { text };
  }
}

/** An error, followed by the work that was done. */
export function withWork(
  { error, text }: Required<AgentEnding>,
  steps: readonly StepRecord[],
): string {
  const calls = steps.flatMap((step) => step.calls);
  const listed = calls.slice(-callsListed).map(({ tool, isError }) => {
    return `  - ${tool}: ${isError ? "failed" : "done"}`;
  });
  const earlier = calls.length - listed.length;
  const words = text.trim();
  return [
    error,
    calls.length === 0 ? "No tool was called" : `Done so far, ${plural(calls.length, "call")}:`,
    ...(earlier > 0 ? [`  - ${earlier} before these`] : []),
    ...listed,
    ...(words === "" ? [] : [`Last text of the model: ${excerpt(words, wordsLength)}`]),
  ].join("\n");
}

export function totalOf(steps: readonly StepRecord[]): AgentUsage {
  return steps.reduce(
    (sum, { usage }) => ({
      inputTokens: sum.inputTokens + Math.max(0, usage.inputTokens),
      outputTokens: sum.outputTokens + Math.max(0, usage.outputTokens),
    }),
    { inputTokens: 0, outputTokens: 0 },
  );
}
