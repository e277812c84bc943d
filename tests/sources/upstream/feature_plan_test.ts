/** What is asked of a server for a prompt, a resource or a completion, and what of its answer is passed on. */

import type { StandardSchemaV1 } from "@modelcontextprotocol/client";
import assert from "node:assert/strict";
import { maxBlobLength, maxHostBytes } from "../../../src/sources/upstream/_bounds.ts";
import { featurePlan } from "../../../src/sources/upstream/feature_plan.ts";
import type { UpstreamServer } from "../../../src/sources/upstream/server.ts";
import type { UpstreamSource } from "../../../src/sources/upstream/spec.ts";
import { textOf } from "../../../src/tool/result.ts";
import { toolOf } from "../../_tools.ts";

type Source = Partial<UpstreamSource>;

/** Runs the plan for `source` on a connection that replies with `reply`, if that has the shape of one. */
async function runPlan(
  source: Source,
  reply: unknown,
  { values = {}, forHost = false, keepBytes = 100 } = {},
) {
  const tool = toolOf("t", { source: { kind: "upstream", server: "s", tool: "x", ...source } });
  let asked: unknown;
  const client = {
    request: async (request: unknown, schema: StandardSchemaV1) => {
      asked = request;
      const read = await schema["~standard"].validate(reply);
      if (read.issues !== undefined) assert.fail(read.issues.map(({ message }) => message).join());
      return read.value;
    },
  };
  const server = {
    request: ({ send }: { send: (client: unknown, ...more: object[]) => unknown }) =>
      send(client, {}, {}),
  } as unknown as UpstreamServer;
  const plan = featurePlan(tool, new Map(Object.entries(values)), {
    name: "s",
    withServer: (_, work) => work(server),
    bounds: { keepBytes, mayKeep: false, keepAnsi: false, served: (uri) => uri },
    isOfSkill: (uri) => uri.startsWith("skill:"),
  });
  assert.ok(plan.ok);
  const result = await plan.run({ forHost } as never);
  return { asked, plan, result };
}

const values = ["abc", "\x1b[1mdef", "x".repeat(1001), ...Array(100).fill("y")];

const requests: readonly (readonly [
  source: Source,
  given: Record<string, string | Record<string, string>>,
  reply: object,
  asked: object,
  record: object,
  result: object,
])[] = [
  [
    { request: "prompt" },
    { a: "1" },
    {
      description: "It",
      messages: [{ role: "user", content: { type: "text", text: "Hello" } }],
    },
    { method: "prompts/get", params: { name: "x", arguments: { a: "1" } } },
    { server: "s", prompt: "x", arguments: { a: "1" } },
    { content: [{ type: "text", text: "Hello" }], prompt: { description: "It", roles: ["user"] } },
  ],
  [
    { request: "prompt" },
    {},
    { messages: [] },
    { method: "prompts/get", params: { name: "x", arguments: {} } },
    { server: "s", prompt: "x", arguments: {} },
    { content: [], prompt: { roles: [] } },
  ],
  [
    { request: "completion", ref: { type: "ref/prompt", name: "p" } },
    { name: "n", value: "v", context: { a: "1" } },
    { completion: { values, total: 0, hasMore: false } },
    {
      method: "completion/complete",
      params: {
        ref: { type: "ref/prompt", name: "p" },
        argument: { name: "n", value: "v" },
        context: { arguments: { a: "1" } },
      },
    },
    { server: "s", completion: "x", arguments: { name: "n", value: "v", context: { a: "1" } } },
    {
      content: [],
      structured: {
        values: ["abc", "def", "x".repeat(1000), ...Array(97).fill("y")],
        total: 0,
        hasMore: false,
      },
    },
  ],
  [
    { request: "completion" },
    { name: "n", value: "v" },
    { completion: { values: [] } },
    {
      method: "completion/complete",
      params: { ref: undefined, argument: { name: "n", value: "v" } },
    },
    { server: "s", completion: "x", arguments: { name: "n", value: "v" } },
    { content: [], structured: { values: [] } },
  ],
  [
    { request: "skill" },
    {},
    { skill: { uri: "skill:a", frontmatter: { name: "a", description: "" }, resources: [] } },
    { method: "skills/get", params: { uri: "x" } },
    { server: "s", skill: "x", arguments: {} },
    {
      content: [],
      structured: {
        skill: { uri: "skill:a", frontmatter: { name: "a", description: "" }, resources: [] },
      },
      isWhole: true,
    },
  ],
  [
    { request: "resource" },
    { a: "1" },
    { contents: [] },
    { method: "resources/read", params: { uri: "x" } },
    { server: "s", uri: "x" },
    { content: [] },
  ],
];

for (const [source, values, reply, expected, record, result] of requests) {
  Deno.test(`featurePlan() asks for a ${source.request} with ${JSON.stringify(values)}`, async () => {
    const run = await runPlan(source, reply, { values });
    assert.deepEqual(run.asked, expected);
    assert.equal(run.plan.needsPermit, false);
    assert.deepEqual(run.plan.preview?.record, record);
    assert.deepEqual(run.result, { ...result, isError: false, record: { ending: "answered" } });
  });
}

const page = { uri: "ui://a", mimeType: "text/html;profile=x" };

/** Long, and with a control sequence. */
const text = `\x1b[1m${"a".repeat(300)}`;

const contents: readonly (readonly [
  what: string,
  contents: readonly object[],
  forHost: boolean,
  shown: string,
])[] = [
  ["a page", [{ ...page, text }], true, "whole"],
  ["a page, which the model reads", [{ ...page, text }], false, "cut"],
  ["a page and more", [{ ...page, text }, { uri: "x://a", text: "" }], true, "cut"],
  ["a page elsewhere", [{ ...page, uri: "x://a", text }], true, "cut"],
  ["what is no page", [{ uri: "ui://a", text }], true, "cut"],
  ["a skill", [{ uri: "skill:a", text }], true, "whole and as it is"],
  ["a skill, which the model reads", [{ uri: "skill:a", text }], false, "cut"],
  ["a skill and more", [{ uri: "skill:a", text }, { uri: "x://a", text: "" }], true, "cut"],
  ["a long page", [{ ...page, text: "a".repeat(maxHostBytes) }], true, "whole"],
  [
    "a page that is too long",
    [{ ...page, text: "a".repeat(maxHostBytes) }, { ...page, text: "é" }],
    true,
    "The resource has 16,777,218 bytes, more than is passed on",
  ],
  [
    "data that is too long",
    [{ uri: "x://a", blob: "a".repeat(maxBlobLength + 4) }],
    false,
    "Resource 'x://a' has 12,582,915 bytes, more than is passed on",
  ],
];

for (const [what, given, forHost, shown] of contents) {
  Deno.test(`featurePlan() passes on ${what}: ${shown}`, async () => {
    const { result } = await runPlan({ request: "resource" }, { contents: given }, { forHost });
    const isRefused = shown.endsWith(", more than is passed on");
    assert.equal(result.isError, isRefused);
    assert.equal(result.record?.ending, isRefused ? "too long" : "answered");
    assert.equal(result.isWhole, shown.startsWith("whole") ? true : undefined);
    if (isRefused) return assert.equal(textOf(result), shown);
    const [first] = result.content as unknown as { resource: { text: string } }[];
    const has = first!.resource.text;
    const written = (given[0] as { text: string }).text;
    assert.equal(has.includes("\x1b"), shown === "whole and as it is");
    assert.equal(has === written.replace("\x1b[1m", ""), shown === "whole");
    if (shown === "cut") assert.equal(has.length < 300, true);
  });
}

Deno.test("featurePlan() passes on the longest data, and refuses what is no base64", async () => {
  const blob = "a".repeat(maxBlobLength);
  const source = { request: "resource" } as const;
  const contents = [{ uri: "x://a", blob }];
  const { result } = await runPlan(source, { contents }, { keepBytes: maxHostBytes });
  assert.equal(result.isError, false);
  await assert.rejects(runPlan(source, { contents: [{ uri: "x://a", blob: "?" }] }), /base64/);
});
