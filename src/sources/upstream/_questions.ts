/** Reads the questions to the user in the result of a call (2026-07-28), and sends the answers back. */

import type { InputResponses, Result } from "@modelcontextprotocol/client";
import type { Answer, Question } from "../../tool/runner.ts";

export interface ServerQuestion {
  readonly questions: readonly (readonly [key: string, question: Question])[];
  /** Sent back unchanged. */
  readonly requestState?: string;
}

/** The questions of `result`, if any, or the method of a request that climax does not support. */
export function questionOf(
  result: Result,
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

/** The part of a request's parameters that answers questions. */
export interface Responses {
  readonly inputResponses?: InputResponses;
  readonly requestState?: string;
  readonly _meta?: Record<string, unknown>;
}

/** The answers for the next round of the call. */
export function responsesTo(
  { requestState }: ServerQuestion,
  answers: ReadonlyMap<string, Answer>,
): Responses {
  const inputResponses = Object.fromEntries(answers) as InputResponses;
  return { inputResponses, ...(requestState === undefined ? {} : { requestState }) };
}
