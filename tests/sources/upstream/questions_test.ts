/** The questions of servers: read from results, shown to a person, and answered. */

import assert from "node:assert/strict";
import type { Result } from "@modelcontextprotocol/client";
import { maxFormLength } from "../../../src/sources/upstream/_bounds.ts";
import { questionOf, responsesTo, showQuestion } from "../../../src/sources/upstream/_questions.ts";

const form = { mode: "form", message: "Who?", requestedSchema: { type: "object" } } as const;
const link = (url: string) => ({ mode: "url", message: "Go", url }) as const;

Deno.test("questionOf() reads the questions of a result, and its state as it is", () => {
  const asking = (params: object | undefined, more: object = {}, method = "elicitation/create") =>
    questionOf({
      resultType: "input_required",
      inputRequests: { a: { method, params } },
      ...more,
    } as Result);
  assert.deepEqual(asking(form), { questions: [["a", form]] });
  assert.deepEqual(asking(form, { requestState: "s" }), {
    questions: [["a", form]],
    requestState: "s",
  });
  assert.deepEqual(asking(link("https://a/")), { questions: [["a", link("https://a/")]] });
  assert.deepEqual(asking({}, {}, "roots/list"), { unknown: "'roots/list'" });
  assert.equal(asking(form, { resultType: "complete" }), undefined);
});

Deno.test("responsesTo() sends the answers, and the state back if there was one", () => {
  const answer = { action: "decline" } as const;
  const answers = new Map([["a", answer]]);
  assert.deepEqual(responsesTo({ questions: [] }, answers), { inputResponses: { a: answer } });
  assert.deepEqual(responsesTo({ questions: [], requestState: "" }, answers), {
    inputResponses: { a: answer },
    requestState: "",
  });
});

const shown = [
  ["a page", link("https://example.org/a"), true],
  ["a page without TLS", link("http://example.org/"), true],
  ["a file", link("file:///etc/passwd"), false],
  ["what is no address", link("example.org"), false],
  ["a page with a name", link("https://good.org@evil.org/"), false],
  ["a page with a password", link("https://:x@evil.org/"), false],
  ["a page up to the bound", link("https://a/".padEnd(maxFormLength, "a")), true],
  ["a page beyond it", link("https://a/".padEnd(maxFormLength + 1, "a")), false],
  ["a form up to the bound", { ...form, requestedSchema: { a: "x".repeat(maxFormLength - 8) } }, true],
  ["a form beyond it", { ...form, requestedSchema: { a: "x".repeat(maxFormLength - 7) } }, false],
  ["a hidden character in a label", { ...form, requestedSchema: { title: "a\u200bb" } }, true],
  ["one in a list of labels", { ...form, requestedSchema: { enumNames: ["a\u200bb"] } }, true],
  ["one in a value", { ...form, requestedSchema: { enum: ["a\u200bb"] } }, false],
  ["one in a name", { ...form, requestedSchema: { "a\u200bb": {} } }, false],
  ["one in a field called title", {
    ...form,
    requestedSchema: { properties: { title: { const: "a\u200bb" } } },
  }, false],
  ["one in the label of a field called properties", {
    ...form,
    requestedSchema: { properties: { properties: { title: "a\u200bb" } } },
  }, true],
] as const;

for (const [what, question, isShown] of shown) {
  Deno.test(`showQuestion() ${isShown ? "shows" : "refuses"} ${what}`, () => {
    assert.equal(showQuestion("s", question).ok, isShown);
  });
}
