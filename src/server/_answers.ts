/** Questions in the response to a call, and their answers in the request that comes again. */

import { inputRequired, inputResponse } from "@modelcontextprotocol/server";
import { io } from "../io.ts";
import { canonicalJson } from "../text/canonical_json.ts";
import type { Answer, Question } from "../tool/runner.ts";

type InputResponses = Readonly<Record<string, unknown>> | undefined;

/** The answer to the question `key`. */
export function answerFrom(responses: InputResponses, key: string): Answer {
  const view = inputResponse(responses, key);
  if (view.kind !== "elicit") return { action: "unasked", reason: "the client sent no answer" };
  if (view.action !== "accept") return { action: view.action };
  return { action: "accept", ...(view.content === undefined ? {} : { content: view.content }) };
}

/** The answers to other questions than `key`; nothing if there are none. */
export function answersBut(responses: InputResponses, key: string | undefined): InputResponses {
  if (responses === undefined || key === undefined) return responses;
  const { [key]: _, ...others } = responses;
  return Object.keys(others).length === 0 ? undefined : others;
}

/** The part of a response that has `questions`. */
export function inputRequestsOf(questions: ReadonlyMap<string, Question>) {
  return Object.fromEntries(
    [...questions].map(([key, question]) => [
      key,
      question.mode === "url"
        ? inputRequired.elicitUrl({ message: question.message, url: question.url })
        : inputRequired.elicit(question as Parameters<typeof inputRequired.elicit>[0]),
    ]),
  );
}

export interface NamedCall {
  readonly name: string;
  readonly args: unknown;
  readonly client?: string;
}

/** The data that a token is bound to. */
export function callText({ name, args, client }: NamedCall): string {
  return canonicalJson([name, args ?? {}, client ?? null, io().profile ?? null]);
}
