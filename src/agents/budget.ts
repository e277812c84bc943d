/** Limits of one request to a sub-agent. */

export interface AgentBudget {
  /** Most answers of the model, each of which may call tools. */
  readonly maxSteps: number;
  /** Most tokens in and out, over all steps; the step that exceeds this is the last. */
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

/** Tool calls of one step that run at once; they also wait for permits like other calls. */
export const concurrentToolCalls = 8;

/** Most characters of an output for the model, half of them from its end. */
export const maxOutputLength = 60_000;

/** Most characters of a request. */
export const maxPromptLength = 400_000;

/** Most tools of a group that are shown; a larger group is searched. */
export const maxShownTools = 20;
