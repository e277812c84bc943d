/** Builds the prompts of a sub-agent: the prompt of its group, fixed rules, and the request with its data. */

import type { AgentBudget } from "./budget.ts";
import type { ToolGroup } from "./groups.ts";
import type { AgentRequest } from "./request.ts";
import rulesTemplate from "./prompts/sub_agent.md" with { type: "text" };

/** The system prompt; `mark` delimits data. */
export function instructionsFor(
  { systemPrompt }: ToolGroup,
  { maxSteps }: AgentBudget,
  mark: string,
): string {
  const values: Record<string, string> = { maxSteps: String(maxSteps), mark };
  const rules = rulesTemplate.replace(/\{(\w+)\}/g, (whole, key) => values[key] ?? whole);
  return `${systemPrompt.trim()}\n\n${rules.trim()}`;
}

/** The request, its context marked as data. */
export function promptFor(
  { prompt, context }: AgentRequest,
  mark: string,
  redact: (text: string) => string,
): string {
  if (context === undefined) return redact(prompt);
  const data = JSON.stringify(context, null, 2).replaceAll(mark, "…");
  return redact(`${prompt}\n\n<context-${mark}>\n${data}\n</context-${mark}>`);
}
