/** What a call's result asks of the person, as 2026-07-28 has it, and how the answers go back. */

import type { CallToolRequest, CallToolResult, InputResponses } from "@modelcontextprotocol/client";
import type { Answer, Question } from "../../tool/runner.ts";

/** What a server wants before it goes on. */
export interface ServerQuestion {
  readonly questions: readonly (readonly [key: string, question: Question])[];
  /** Handed back as it is. */
  readonly requestState?: string;
}

/** What `result` asks, if it is a question; or the method of what nobody here answers. */
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

/** The same call once more, with the answers. */
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
