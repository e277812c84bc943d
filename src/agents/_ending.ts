/** How a request to a sub-agent ended, in words. */

import type { FinishReason } from "ai";
import { excerpt } from "../text/excerpt.ts";
import { plural } from "../text/plural.ts";
import type { AgentBudget } from "./budget.ts";
import type { AgentUsage, StepRecord } from "./response.ts";

/** Characters of the model's words that an error repeats. */
const wordsLength = 1000;

/** Calls that an error lists. */
const callsListed = 20;

/** How a request ended: with an answer, or with an error and the last words before it. */
export interface AgentEnding {
  readonly text: string;
  readonly error?: string;
}

/** The ending of a request whose last step ended for `finishReason`. */
export function endingOf(
  { text, finishReason }: { readonly text: string; readonly finishReason: FinishReason },
  steps: readonly StepRecord[],
  { maxSteps, maxTokens }: AgentBudget,
): AgentEnding {
  switch (finishReason) {
    case "tool-calls":
      return steps.length >= maxSteps
        ? { text, error: `Step limit of the request reached: ${maxSteps} (--max-steps)` }
        : {
          text,
          error: `Token limit of the request reached: ${tokensOf(totalOf(steps))} of ` +
            `${maxTokens} (--max-tokens)`,
        };
    case "content-filter":
      return { text, error: "The model refused to answer (content filter)" };
    case "length":
      return { text, error: "The model's answer was cut off: it is longer than the limit" };
    default:
      return text.trim() === "" ? { text, error: "The model ended without an answer" } : { text };
  }
}

/** An error, and under it what was done before it happened. */
export function withWork(
  { error, text }: Required<AgentEnding>,
  steps: readonly StepRecord[],
): string {
  const calls = steps.flatMap((step) => step.calls);
  const listed = calls.slice(-callsListed).map(({ tool, isError }) => {
    return `  - ${tool}: ${isError ? "failed" : "done"}`;
  });
  const left = calls.length - listed.length;
  const words = text.trim();
  return [
    error,
    calls.length === 0 ? "No tool was called" : `Done so far, ${plural(calls.length, "call")}:`,
    ...(left > 0 ? [`  - ${left} before these`] : []),
    ...listed,
    ...(words === "" ? [] : [`Last text of the model: ${excerpt(words, wordsLength)}`]),
  ].join("\n");
}

/** Tokens of all steps. */
export function totalOf(steps: readonly StepRecord[]): AgentUsage {
  return steps.reduce(
    (sum, { usage }) => ({
      inputTokens: sum.inputTokens + usage.inputTokens,
      outputTokens: sum.outputTokens + usage.outputTokens,
    }),
    { inputTokens: 0, outputTokens: 0 },
  );
}

/** Tokens in and out. */
export function tokensOf({ inputTokens, outputTokens }: AgentUsage): number {
  return inputTokens + outputTokens;
}
