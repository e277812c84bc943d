/** Tokens of one answer of a model, for a budget that holds whatever the provider says. */

import { estimateTokens } from "../text/tokens.ts";

/** One exchange with a model, of any version of the SDK's interface. */
export interface Exchange {
  readonly prompt: unknown;
  readonly content: unknown;
  readonly usage: { readonly inputTokens?: unknown; readonly outputTokens?: unknown };
}

/** The provider's count in and out, each at least the estimate from the texts that were sent and received. */
export function tokensOfExchange({ prompt, content, usage }: Exchange): number {
  return Math.max(countIn(usage.inputTokens), estimateOf(prompt)) +
    Math.max(countIn(usage.outputTokens), estimateOf(content));
}

function countIn(counted: unknown): number {
  const total = typeof counted === "number"
    ? counted
    : (counted as { total?: unknown } | undefined)?.total;
  return typeof total === "number" && Number.isFinite(total) ? total : 0;
}

function estimateOf(value: unknown): number {
  return textsIn(value).reduce((sum, text) => sum + estimateTokens(text), 0);
}

/** All texts in `value`; keys, and data such as images, cost nothing. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return [];
  return Object.values(value).flatMap(textsIn);
}
