/** The request to a sub-agent and its response, with names of the data model (entities 9 and 10), and its steps. */

import type { ObjectSchema } from "../tool/tool.ts";

export interface AgentRequest {
  readonly requestId: string;
  readonly prompt: string;
  readonly context?: unknown;
}

export interface AgentUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** The tokens that a provider has counted; what it does not count is 0. */
export function tokenUsage(
  usage: { inputTokens?: number | undefined; outputTokens?: number | undefined } = {},
): AgentUsage {
  return { inputTokens: usage.inputTokens ?? 0, outputTokens: usage.outputTokens ?? 0 };
}

/** Has either `result` or `error`. */
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
  readonly input: unknown;
  readonly isError: boolean;
  readonly output: string;
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

/** All data of a request, for traces. */
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
