/** Checks what a server asks a person, names the server in the question, and makes hidden characters visible. */

import type { InputResponses, Result } from "@modelcontextprotocol/client";
import type { Answer, Question } from "../../tool/runner.ts";
import { excerpt } from "../../text/excerpt.ts";
import { maxFormLength, maxQuestionLength } from "./_bounds.ts";
import { escapeInvisible, spellOut } from "../../text/escape.ts";
import { isObject } from "../../text/own_property.ts";

interface ServerQuestion {
  readonly questions: readonly (readonly [key: string, question: Question])[];
  readonly requestState?: string;
}

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

export interface Responses {
  readonly inputResponses?: InputResponses;
  readonly requestState?: string;
  readonly _meta?: Record<string, unknown>;
}

export function responsesTo(
  { requestState }: ServerQuestion,
  answers: ReadonlyMap<string, Answer>,
): Responses {
  const inputResponses = Object.fromEntries(answers) as InputResponses;
  return { inputResponses, ...(requestState === undefined ? {} : { requestState }) };
}

const labels = new Set(["title", "description", "enumNames"]);

/** Returns the question with the server's name above it, or the reason why the question is refused. */
export function showQuestion(server: string, question: Question): Question | string {
  const lines = questionWords(question).split("\n").map((line) => `| ${line}`);
  const message = [`Server '${server}' asks:`, ...lines].join("\n");
  if (question.mode === "url") {
    const url = webPage(question.url);
    return url ? { ...question, message, url } : "the URL it wants to open is not a web page";
  }
  const { length } = JSON.stringify(question.requestedSchema);
  if (length > maxFormLength) {
    return `its form has ${length} characters, expected at most ${maxFormLength}`;
  }
  const requestedSchema = cleanForm(question.requestedSchema) as Readonly<Record<string, unknown>>;
  const hasHidden = JSON.stringify(requestedSchema, (_key, value) => {
    return isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([key, each]) => [withoutHidden(key), each]))
      : typeof value === "string"
      ? withoutHidden(value)
      : value;
  }) !== JSON.stringify(requestedSchema);
  return hasHidden
    ? "its form has invisible characters"
    : { ...question, message, requestedSchema };
}

export function questionWords({ message }: Pick<Question, "message">): string {
  return plainLabel(excerpt(message, maxQuestionLength));
}

/** Returns the web address as a browser opens it; nothing if it is invalid, or has a user's name before the host. */
function webPage(text: string): string | undefined {
  const url = text.length > maxFormLength ? null : URL.parse(text);
  if (url === null || !["http:", "https:"].includes(url.protocol)) return undefined;
  return url.username === "" && url.password === "" ? url.href : undefined;
}

/** Makes hidden characters in labels of a form visible. Names of fields are sent back, so they stay unchanged. */
function cleanForm(value: unknown, isFields = false): unknown {
  if (Array.isArray(value)) return value.map((each) => cleanForm(each));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => {
      const isLabel = !isFields && labels.has(key);
      return [key, isLabel ? cleanLabel(each) : cleanForm(each, !isFields && key === "properties")];
    }),
  );
}

function cleanLabel(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cleanLabel);
  return typeof value === "string" ? plainLabel(value) : value;
}

/** In a question, a text of the server has at most this many lines: more could push the heading out of view. */
const maxLines = 30;

function plainLabel(text: string): string {
  const all = text.replaceAll(/(?<=\p{ExtPict})\ufe0f/gu, "").split(/\r\n?|\n/);
  const lines = all.filter((line) => line.trim() !== "").map(spellOut);
  return lines.length > maxLines ? [...lines.slice(0, maxLines), "…"].join("\n") : lines.join("\n");
}

function withoutHidden(text: string): string {
  const parts = text.replaceAll(/\n(?:[^\S\n]*\n)+/g, "\n")
    .split(/([\n\t]|(?<=\p{ExtPict})\ufe0f)/u);
  return parts.map((part, at) => at % 2 === 1 ? part : escapeInvisible(part)).join("");
}
