/** Reads the questions to the user in the result of a call (2026-07-28), and sends the answers back. */

import type { CallToolRequest, CallToolResult, InputResponses } from "@modelcontextprotocol/client";
import type { Answer, Question } from "../../tool/runner.ts";

export interface ServerQuestion {
  readonly questions: readonly (readonly [key: string, question: Question])[];
  /** Sent back unchanged. */
  readonly requestState?: string;
}

/** The questions of `result`, if any, or the method of a request that climax does not support. */
export function questionOf(
  result: CallToolResult,
): ServerQuestion | { readonly unknown: string } | undefined {
  const { resultType, inputRequests = {}, requestState } = result as {
    resultType?: string;
    inputRequests?: Record<string, { method: string; params?: Record<string, unknown> }>;
    requestState?: string;
  };
  if (resultType !== "input_required") return undefined;
  const questions: [string, Question][] = [];
  for (const [key, { method, params = {} }] of Object.entries(inputRequests)) {
    if (method !== "elicitation/create") return { unknown: `'${method}'` };
    const { mode, message, url, requestedSchema } = params;
    questions.push([
      key,
      mode === "url" ? { mode, message: String(message), url: String(url) } : {
        mode: "form",
        message: String(message),
        requestedSchema: requestedSchema as Readonly<Record<string, unknown>>,
      },
    ]);
  }
  return { questions, ...(requestState === undefined ? {} : { requestState }) };
}

/** The parameters of the next round of the call, with the answers. */
export function withResponses(
  call: CallToolRequest["params"],
  { requestState }: ServerQuestion,
  answers: ReadonlyMap<string, Answer>,
): CallToolRequest["params"] {
  const inputResponses = Object.fromEntries(answers) as InputResponses;
  return {
    ...call,
    inputResponses,
    ...(requestState === undefined ? {} : { requestState }),
  } as CallToolRequest["params"];
}
