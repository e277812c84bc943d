/** A request to a sub-agent: its bounds, its steps, its end in words, and its response, named as in the data model. */

import type { FinishReason } from "ai";
import { excerpt } from "../text/excerpt.ts";
import { plural } from "../text/plural.ts";
import type { ObjectSchema } from "../tool/tool.ts";

/** The bounds of one request, which a person sets. */
export interface AgentBudget {
  /** The model may answer at most this many times; each answer may call tools. */
  readonly maxSteps: number;
  /** All steps have at most this many tokens in and out. The step that exceeds this is the last. */
  readonly maxTokens: number;
  /** The request ends after this many milliseconds. */
  readonly timeoutMs: number;
}

/** The default budget has 12 steps, 200,000 tokens and 300 s. */
export const defaultBudget: AgentBudget = {
  maxSteps: 12,
  maxTokens: 200_000,
  timeoutMs: 300_000,
};

/** A request has at most this many tool calls. */
export const maxToolCalls = 100;

/** At most this many tool calls of one step run at once. They also wait for permits, as other calls do. */
export const concurrentToolCalls = 8;

/** An output for the model is cut to this many characters, half of them from its end. */
export const maxOutputLength = 60_000;

/** A request has at most this many characters. */
export const maxPromptLength = 400_000;

export interface AgentRequest {
  readonly requestId: string;
  readonly prompt: string;
  readonly context?: unknown;
}

export interface AgentUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Returns the tokens that a provider has counted, and 0 if it counts none. */
export function tokenUsage(
  usage: { inputTokens?: number | undefined; outputTokens?: number | undefined } = {},
): AgentUsage {
  return { inputTokens: usage.inputTokens ?? 0, outputTokens: usage.outputTokens ?? 0 };
}

/** The response to a request, with either `result` or `error`. */
export interface AgentResponse {
  readonly requestId: string;
  readonly agentId: string;
  readonly result?: string;
  readonly error?: string;
  /** The names of the called tools, each once, in the order of their first call. */
  readonly toolsUsed: readonly string[];
  /** The time of the answer, as in RFC 3339. */
  readonly timestamp: string;
  readonly usage: AgentUsage;
  /** The number of answers of the model. */
  readonly steps: number;
}

/** The schema of {@linkcode AgentResponse}. */
export const responseSchema: ObjectSchema = {
  type: "object",
  properties: {
    requestId: { type: "string" },
    agentId: { type: "string" },
    result: { type: "string", description: "The answer; absent when there is an error" },
    error: { type: "string", description: "Why there is no answer, and what was done so far" },
    toolsUsed: { type: "array", items: { type: "string" } },
    timestamp: { type: "string", format: "date-time" },
    usage: {
      type: "object",
      properties: { inputTokens: { type: "integer" }, outputTokens: { type: "integer" } },
      required: ["inputTokens", "outputTokens"],
    },
    steps: { type: "integer" },
  },
  required: ["requestId", "agentId", "toolsUsed", "timestamp", "usage", "steps"],
};

/** A call of a tool by the model. */
export interface CallRecord {
  readonly tool: string;
  readonly isError: boolean;
  /** The start in milliseconds since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
}

/** One answer of the model, and the calls for which it asked. */
export interface StepRecord {
  readonly text: string;
  readonly finishReason: string;
  readonly usage: AgentUsage;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly calls: readonly CallRecord[];
}

/** The work on a request, for spans. */
export interface RequestRecord extends AgentRequest {
  readonly agentId: string;
  readonly agentName: string;
  /** The name of the model, as `provider/model`. */
  readonly model: string;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly steps: readonly StepRecord[];
  readonly response: AgentResponse;
}

/** An error quotes at most this many characters of the last answer of the model. */
const wordsLength = 1000;

/** An error names at most this many calls. */
const callsListed = 20;

/** The end of a request: an answer, or an error with the last words of the model. */
export interface AgentEnding {
  readonly text: string;
  readonly error?: string;
}

/** Returns how a request ends whose last step has `finishReason`. */
export function endingOf(
  { text, finishReason, tokens }: {
    readonly text: string;
    readonly finishReason: FinishReason;
    /** The tokens that count for the budget. */
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

/** Writes an error, and after it the work that was done. */
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
