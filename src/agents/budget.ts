/** Limits of one request to a sub-agent. */

/** The bounds of a request. */
export interface AgentBudget {
  /** Answers of the model, each of which may call tools. */
  readonly maxSteps: number;
  /** Tokens in and out, over all steps; the step that goes beyond is the last. */
  readonly maxTokens: number;
  /** Milliseconds from the request to its answer. */
  readonly timeoutMs: number;
}

/** 12 steps, 200,000 tokens, 300 s. */
export const defaultBudget: AgentBudget = {
  maxSteps: 12,
  maxTokens: 200_000,
  timeoutMs: 300_000,
};

/** Tool calls of one request, however many a step asks for. */
export const maxToolCalls = 100;

/** Tool calls of one step that run at once; they also wait for places like any others. */
export const concurrentToolCalls = 8;

/** Characters of a tool's output that the model is shown, half of them from its end. */
export const maxOutputLength = 60_000;

/** Characters a request may have. */
export const maxPromptLength = 400_000;

/** Tools of a group that are shown whole; a larger group is searched. */
export const maxShownTools = 20;
