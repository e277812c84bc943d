/** A request to a sub-agent: its bounds, its steps, its ending in words, and its response, named as in the data model. */

import type { FinishReason } from "ai";
import { excerpt } from "../text/excerpt.ts";
import { plural } from "../text/plural.ts";
import type { ObjectSchema } from "../tool/tool.ts";

/** The bounds of one request that a person sets. */
export interface AgentBudget {
  /** Most answers of the model, each of which may call tools. */
  readonly maxSteps: number;
  /** Most tokens in and out, over all steps. The step that exceeds this is the last. */
  readonly maxTokens: number;
  /** Timeout of a request, in milliseconds. */
  readonly timeoutMs: number;
}

/** 12 steps, 200,000 tokens, 300 s. */
export const defaultBudget: AgentBudget = {
  maxSteps: 12,
  maxTokens: 200_000,
  timeoutMs: 300_000,
};

/** Most tool calls of one request. */
export const maxToolCalls = 100;

/** Tool calls of one step that run at once. They also wait for permits, as other calls do. */
export const concurrentToolCalls = 8;

/** Most characters of an output for the model, half of them from its end. */
export const maxOutputLength = 60_000;

/** Most characters of a request. */
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

/** Returns the tokens that a provider has counted, and 0 for what it does not count. */
export function tokenUsage(
  usage: { inputTokens?: number | undefined; outputTokens?: number | undefined } = {},
): AgentUsage {
  return { inputTokens: usage.inputTokens ?? 0, outputTokens: usage.outputTokens ?? 0 };
}

/** The response has either `result` or `error`. */
export interface AgentResponse {
  readonly requestId: string;
  readonly agentId: string;
  readonly result?: string;
  readonly error?: string;
  /** Names of the called tools, without repeats, in the order of their first call. */
  readonly toolsUsed: readonly string[];
  /** The time of the answer, RFC 3339. */
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
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
}

/** One answer of the model, and the calls it asked for. */
export interface StepRecord {
  readonly text: string;
  readonly finishReason: string;
  readonly usage: AgentUsage;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly calls: readonly CallRecord[];
}

/** What was done for a request, for spans. */
export interface RequestRecord extends AgentRequest {
  readonly agentId: string;
  readonly agentName: string;
  /** `provider/model`. */
  readonly model: string;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly steps: readonly StepRecord[];
  readonly response: AgentResponse;
}

/** Most characters of the last answer of the model in an error. */
const wordsLength = 1000;

/** Most calls in an error. */
const callsListed = 20;

/** An answer, or an error with the last words of the model. */
export interface AgentEnding {
  readonly text: string;
  readonly error?: string;
}

/** Returns the ending of a request whose last step ended with `finishReason`. */
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

/** Writes an error, followed by the work that was done. */
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
