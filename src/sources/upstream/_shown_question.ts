/**
 * What a server asks of the person, as the person is shown it: headed by the server's name, nothing in it
 * unseen. Labels are written out; what goes back to the server as it is may have nothing to write out.
 */

import type { Question } from "../../tool/runner.ts";
import { excerpt } from "../../text/excerpt.ts";
import { maxFormLength, maxQuestionLength } from "./_bounds.ts";
import { showHidden } from "../../text/escape.ts";
import { isObject } from "../../text/own_property.ts";

/** A question fit to be shown, or why it is not. */
export type ShownQuestion =
  | { readonly ok: true; readonly question: Question }
  | { readonly ok: false; readonly reason: string };

/** Keys of a form, and of its fields and choices, that are for people alone. */
const labels = new Set(["title", "description", "enumNames"]);

/** `question` of `server` as the person is shown it. */
export function shownQuestion(server: string, question: Question): ShownQuestion {
  const message = `Server '${server}' asks: ${questionWords(question)}`;
  if (question.mode === "url") {
    const url = webPage(question.url);
    if (url === undefined) return refused("the URL it wants to open is not a web page");
    return { ok: true, question: { ...question, message, url } };
  }
  const { length } = JSON.stringify(question.requestedSchema);
  if (length > maxFormLength) {
    return refused(`its form has ${length} characters, expected at most ${maxFormLength}`);
  }
  const requestedSchema = shownForm(question.requestedSchema) as Readonly<Record<string, unknown>>;
  // Names and values go back as they are: what cannot be seen in them cannot be agreed to
  const hasHidden = JSON.stringify(requestedSchema, (_key, value) => {
    return isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([key, each]) => [shown(key), each]))
      : typeof value === "string"
      ? shown(value)
      : value;
  }) !== JSON.stringify(requestedSchema);
  if (hasHidden) return refused("its form has invisible characters");
  return { ok: true, question: { ...question, message, requestedSchema } };
}

/** What a question says, in words that stay beside who asks. */
export function questionWords({ message }: Pick<Question, "message">): string {
  return shown(excerpt(message, maxQuestionLength));
}

function refused(reason: string): ShownQuestion {
  return { ok: false, reason };
}

/** The address of a web page as a browser opens it; nothing where it is none, or hides which it is. */
function webPage(text: string): string | undefined {
  const url = text.length > maxFormLength ? null : URL.parse(text);
  if (url === null || !["http:", "https:"].includes(url.protocol)) return undefined;
  return url.username === "" && url.password === "" ? url.href : undefined;
}

/** `value` of a form with its labels written out; names of fields are no labels, whatever they are. */
function shownForm(value: unknown, isFields = false): unknown {
  if (Array.isArray(value)) return value.map((each) => shownForm(each));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => {
      const isLabel = !isFields && labels.has(key);
      return [key, isLabel ? shownLabel(each) : shownForm(each, !isFields && key === "properties")];
    }),
  );
}

function shownLabel(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shownLabel);
  return typeof value === "string" ? shown(value) : value;
}

/** `text` with what is not seen written out; empty lines would push away what stands above them. */
function shown(text: string): string {
  return showHidden(text.replaceAll(/\r\n?/g, "\n").replaceAll(/\n(?:[^\S\n]*\n)+/g, "\n"));
}
