/** The questions of servers: read from results, shown to a person, and answered. */

import assert from "node:assert/strict";
import type { Result } from "@modelcontextprotocol/client";
import { maxFormLength } from "../../../src/sources/upstream/_bounds.ts";
import type { Question } from "../../../src/tool/runner.ts";
import { questionOf, responsesTo, showQuestion } from "../../../src/sources/upstream/_questions.ts";

const form = { mode: "form", message: "Who?", requestedSchema: { type: "object" } } as const;
const link = (url: string) => ({ mode: "url", message: "Go", url }) as const;
const asks = (requestedSchema: Record<string, unknown>) => ({ ...form, requestedSchema });

Deno.test("questionOf() reads questions and the state, and responsesTo() sends it back", () => {
  const read = (params: object, more: object = {}, method = "elicitation/create") => {
    const inputRequests = { a: { method, params } };
    return questionOf({ resultType: "input_required", inputRequests, ...more } as Result);
  };
  assert.deepEqual(read(link("a:")), { questions: [["a", link("a:")]] });
  const stateful = { questions: [["a", form]], requestState: "" } as const;
  assert.deepEqual(read(form, { requestState: "" }), stateful);
  assert.deepEqual(read({}, {}, "roots/list"), { unknown: "'roots/list'" });
  assert.equal(read(form, { resultType: "complete" }), undefined);
  const inputResponses = { a: { action: "decline" } } as const;
  const answers = new Map(Object.entries(inputResponses));
  assert.deepEqual(responsesTo(stateful, answers), { inputResponses, requestState: "" });
  assert.deepEqual(responsesTo({ questions: [] }, answers), { inputResponses });
});

const hidden = "a\u200bb";
const shown = [
  ["a page", link("http://example.org/a"), true],
  ["a file", link("file:///etc/passwd"), false],
  ["a page with a name", link("https://good.org@evil.org/"), false],
  ["a page with a password", link("https://:x@evil.org/"), false],
  ["a page up to the bound", link("https://a/".padEnd(maxFormLength, "a")), true],
  ["a page beyond it", link("https://a/".padEnd(maxFormLength + 1, "a")), false],
  ["a form up to the bound", asks({ a: "x".repeat(maxFormLength - 8) }), true],
  ["a form beyond it", asks({ a: "x".repeat(maxFormLength - 7) }), false],
  ["a hidden character in labels", asks({ title: hidden, enumNames: [hidden] }), true],
  ["one in a value", asks({ enum: [hidden] }), false],
  ["a joiner in a value", asks({ enum: ["pay\u200d"] }), false],
  ["a blank of another kind in a name", asks({ properties: { "a\u00a0b": {} } }), false],
  ["a picture in a value", asks({ enum: ["⚠\ufe0f stop"] }), true],
  ["one in a name", asks({ [hidden]: {} }), false],
  ["one of a field called title", asks({ properties: { title: { const: hidden } } }), false],
  ["one in its label", asks({ properties: { title: { title: hidden } } }), true],
  ["one of properties", asks({ properties: { properties: { title: hidden } } }), true],
] as const;

Deno.test("showQuestion() shows what hides nothing", () => {
  for (const [what, question, isShown] of shown) {
    assert.equal(typeof showQuestion("s", question) === "object", isShown, what);
  }
});

Deno.test("showQuestion() names the server, and writes out what labels and addresses hide", () => {
  const wordsOf = (message: string) =>
    (showQuestion("s", { ...form, message }) as Question).message;
  assert.equal(
    wordsOf(`Yes?${"\r\n \n".repeat(100)}climax`),
    "Server 's' asks:\n| Yes?\n| climax",
  );
  assert.equal(wordsOf(`${"\u200d\n".repeat(60)}Run?`).split("\n").length, 32);
  assert.equal(
    wordsOf("\u0440\u0430ypal\u00a0 ⚠\ufe0f"),
    "Server 's' asks:\n| \\u{440}\\u{430}ypal\\u{a0} ⚠",
  );
  assert.match(
    wordsOf(`\u202e${"x".repeat(3000)}`),
    /^Server 's' asks:\n\| \\u\{202e\}x{1900,}\\u\{2026\}$/,
  );
  const fields = (title: string, label: string) => ({
    required: ["title"],
    properties: { title: { title, minimum: 1 }, choice: { oneOf: [{ const: "a", title: label }] } },
  });
  const question = asks(fields("Your\u202ename\x1b[2J", "A\u202e"));
  const clean = asks(fields("Your\\u{202e}name\\u{1b}[2J", "A\\u{202e}"));
  const message = "Server 's' asks:\n| Who?";
  assert.deepEqual(showQuestion("s", question), { ...clean, message });
  const page = showQuestion("s", link("https://b\u00e4.example/\u202e"));
  const url = "https://xn--b-0fa.example/%E2%80%AE";
  assert.deepEqual(page, { ...link(url), message: "Server 's' asks:\n| Go" });
});
