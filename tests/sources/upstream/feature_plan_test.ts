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
const short = ["abc", "def", "x".repeat(1000), ...Array(97).fill("y")];
const ref = { type: "ref/prompt", name: "p" } as const;
const content = { type: "text", text: "Hello" };
const skill = { uri: "skill:a", frontmatter: { name: "a", description: "" }, resources: [] };
const argument = { name: "n", value: "v" };

const requests: readonly (readonly [
  source: Source,
  given: object,
  reply: object,
  asked: [method: string, params: object],
  result: object,
])[] = [
  [
    { request: "prompt" },
    { a: "1" },
    { description: "It", messages: [{ role: "user", content }] },
    ["prompts/get", { name: "x", arguments: { a: "1" } }],
    { content: [content], prompt: { description: "It", roles: ["user"] } },
  ],
  [
    { request: "completion", ref },
    { ...argument, context: { a: "1" } },
    { completion: { values, total: 0, hasMore: false } },
    ["completion/complete", { ref, argument, context: { arguments: { a: "1" } } }],
    { content: [], structured: { values: short, total: 0, hasMore: false } },
  ],
  [
    { request: "completion", ref },
    argument,
    { completion: { values: [] } },
    ["completion/complete", { ref, argument }],
    { content: [], structured: { values: [] } },
  ],
  [
    { request: "skill" },
    {},
    { skill },
    ["skills/get", { uri: "x" }],
    { content: [], structured: { skill }, isWhole: true },
  ],
  [{ request: "resource" }, {}, { contents: [] }, ["resources/read", { uri: "x" }], {
    content: [],
  }],
];

for (const [source, values, reply, [method, params], result] of requests) {
  Deno.test(`featurePlan() asks for a ${source.request} with ${JSON.stringify(values)}`, async () => {
    const run = await runPlan(source, reply, { values });
    assert.deepEqual(run.asked, { method, params });
    assert.equal(run.plan.needsPermit, false);
    const { request } = source;
    const details = request === "resource" ? { uri: "x" } : { [request!]: "x", arguments: values };
    assert.deepEqual(run.plan.preview?.record, { server: "s", ...details });
    assert.deepEqual(run.result, { ...result, isError: false, record: { ending: "answered" } });
  });
}

/** Long, and with a control sequence. */
const text = `\x1b[1m${"a".repeat(300)}`;
const page = { uri: "ui://a", mimeType: "text/html;profile=x", text };
const file = { uri: "skill:a", text };
const other = { uri: "x://a", text: "" };
const longest = "a".repeat(maxHostBytes);

const contents: readonly (readonly [
  what: string,
  contents: readonly object[],
  forHost: boolean,
  shown: string,
])[] = [
  ["a page", [page], true, "whole"],
  ["a page, which the model reads", [page], false, "cut"],
  ["a page and more", [page, other], true, "cut"],
  ["a page elsewhere", [{ ...page, uri: "x://a" }], true, "cut"],
  ["what is no page", [{ uri: "ui://a", text }], true, "cut"],
  ["a skill", [file], true, "whole and as it is"],
  ["a skill, which the model reads", [file], false, "cut"],
  ["a skill and more", [file, other], true, "cut"],
  ["a long page", [{ ...page, text: longest }], true, "whole"],
  [
    "too long a page",
    [{ ...page, text: longest }, { ...page, text: "é" }],
    true,
    "The resource has 16,777,218 bytes, more than is passed on",
  ],
  [
    "too much data",
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
