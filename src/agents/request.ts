/** Defines a request to a sub-agent: its budget, steps and response, and the words for how it ended. */

import type { FinishReason } from "ai";
import { excerpt } from "../text/excerpt.ts";
import { plural } from "../text/plural.ts";
import type { ObjectSchema } from "../tool/tool.ts";

export interface AgentBudget {
  /** The model may answer at most this many times; each answer may ask for calls. */
  readonly maxSteps: number;
  /** Requests to the model and answers may have this many tokens together; the step that exceeds them is the last. */
  readonly maxTokens: number;
  readonly timeoutMs: number;
}

export const defaultBudget: AgentBudget = {
  maxSteps: 12,
  maxTokens: 200_000,
  timeoutMs: 300_000,
};

/** A request may make at most this many calls. */
export const maxToolCalls = 100;

export const concurrentToolCalls = 8;

/** For the model, the output of a tool is cut to this many characters, half of them from the end. */
export const maxOutputLength = 60_000;

/** The prompt and the context of a request have at most this many characters each. */
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

export function tokenUsage(
  usage: { inputTokens?: number | undefined; outputTokens?: number | undefined } = {},
): AgentUsage {
  return { inputTokens: usage.inputTokens ?? 0, outputTokens: usage.outputTokens ?? 0 };
}

export interface AgentResponse {
  readonly requestId: string;
  readonly agentId: string;
  readonly result?: string;
  readonly error?: string;
  /** The names of the called tools, each once, in the order of their first calls. */
  readonly toolsUsed: readonly string[];
  readonly timestamp: string;
  readonly usage: AgentUsage;
  readonly steps: number;
}

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

export interface CallRecord {
  readonly tool: string;
  readonly isError: boolean;
}

/** An error quotes at most this many characters of the last answer of the model. */
const wordsLength = 1000;

const callsListed = 20;

export interface AgentEnding {
  readonly text: string;
  readonly error?: string;
}

export function endingOf(
  { text, finishReason, tokens, steps }: {
    readonly text: string;
    readonly finishReason: FinishReason;
    readonly tokens: number;
    readonly steps: number;
  },
  { maxSteps, maxTokens }: AgentBudget,
): AgentEnding {
  switch (finishReason) {
    case "tool-calls":
      return {
        text,
        error: steps >= maxSteps
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

/** Adds to an error the calls that were made, so that the caller knows what may have changed. */
export function withWork(
  { error, text }: Required<AgentEnding>,
  calls: readonly CallRecord[],
): string {
  const done = calls.map(({ tool, isError }) => `  - ${tool}: ${isError ? "failed" : "done"}`);
  const earlier = calls.length - callsListed;
  const words = text.trim();
  return [
    error,
    calls.length === 0 ? "No tool was called" : `Done so far, ${plural(calls.length, "call")}:`,
    ...earlier > 0 ? [`  - ${earlier} before these`] : [],
    ...done.slice(-callsListed),
    ...words === "" ? [] : [`Last text of the model: ${excerpt(words, wordsLength)}`],
  ].join("\n");
}
