/** Prompts, resources and completions: what is requested of a server, and what becomes of its answer. */

import assert from "node:assert/strict";
import type { StandardSchemaV1 } from "@modelcontextprotocol/client";
import { Addresses } from "../../../src/sources/upstream/addresses.ts";
import { maxBlobLength, maxHostBytes } from "../../../src/sources/upstream/_bounds.ts";
import { featurePlan } from "../../../src/sources/upstream/feature_plan.ts";
import { featuresOf, findFeature } from "../../../src/sources/upstream/features.ts";
import type { DefinedServer } from "../../../src/sources/upstream/tools.ts";
import { type CallResult, textOf } from "../../../src/tool/result.ts";
import type { Tool } from "../../../src/tool/tool.ts";
import { toolOf } from "../../_tools.ts";
import { specOf } from "../../_upstream.ts";

/** What `tool` requests with `args`, and the result of `reply`. */
async function planned(source: object, args: object = {}, reply: object = {}, forHost = false) {
  const tool = toolOf("t", { source: { kind: "upstream", server: "one", ...source } as never });
  let sent: { readonly method: string; readonly params: object } | undefined;
  let schema: StandardSchemaV1 | undefined;
  const client = {
    request(...[request, read]: [typeof sent, typeof schema]) {
      [sent, schema] = [request, read];
      return Promise.resolve(reply);
    },
  };
  const server = {
    request: ({ send }: { send: (...args: unknown[]) => unknown }) =>
      send({ client }, {}, { more: 1 }),
  };
  const plan = featurePlan(tool, new Map(Object.entries(args)), {
    name: "one",
    withServer: (_, work) => work(server as never),
    bounds: { keepBytes: 8, mayKeep: true, served: (uri) => `one+${uri}` },
  });
  const result: CallResult = await plan.run({ forHost });
  assert.deepEqual([plan.ok, plan.needsPermit], [true, false]);
  const { issues } = await schema!["~standard"].validate(reply);
  return { sent: sent!, preview: plan.preview.record, result, issues };
}

const requests:
  readonly (readonly [source: object, args: object, method: string, params: object])[] = [
    [{ request: "prompt", tool: "p" }, { a: "1" }, "prompts/get", {
      name: "p",
      arguments: { a: "1" },
    }],
    [
      { request: "completion", tool: "p", ref: { type: "ref/prompt", name: "p" } },
      { name: "a", value: "v" },
      "completion/complete",
      { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "v" } },
    ],
    [
      { request: "completion", tool: "p", ref: {} },
      { name: "a", value: "v", context: { b: "1" } },
      "completion/complete",
      { ref: {}, argument: { name: "a", value: "v" }, context: { arguments: { b: "1" } } },
    ],
    [{ request: "resource", tool: "x:1" }, {}, "resources/read", { uri: "x:1" }],
  ];

Deno.test("featurePlan() requests what the entry is, and shows it", async () => {
  const replies = {
    prompt: { messages: [] },
    completion: { completion: { values: [] } },
    resource: { contents: [] },
  };
  for (const [source, args, method, params] of requests) {
    const { request, tool } = source as { request: keyof typeof replies; tool: string };
    const { sent, preview } = await planned(source, args, replies[request]);
    assert.deepEqual(sent, { method, params: { ...params, more: 1 } });
    assert.deepEqual(preview, {
      server: "one",
      ...(request === "resource" ? { uri: tool } : { [request]: tool, arguments: args }),
    });
  }
});

const page = { uri: "ui://a", mimeType: "text/html;profile=mcp-app" };
const long = "\x1b[1mlonger than is kept";

Deno.test("featurePlan() takes what is no base64 for no answer", async () => {
  for (const [blob, isWrong] of [["AA==", false], ["!!", true]] as const) {
    const { issues } = await planned({}, {}, { contents: [{ uri: "x:1", blob }] });
    assert.equal(issues !== undefined, isWrong, blob);
  }
});

Deno.test("featurePlan() keeps pages of Apps whole for the client", async () => {
  const rows: readonly [contents: readonly object[], forHost: boolean, text: string | undefined][] =
    [
      [[page], true, "longer than is kept"],
      [[page], false, undefined],
      [[{ ...page, uri: "x:1" }], true, undefined],
      [[{ ...page, mimeType: "text/plain" }], true, undefined],
      [[page, { uri: "x:1" }], true, undefined],
    ];
  for (const [contents, forHost, text] of rows) {
    const reply = { contents: contents.map((each) => ({ ...each, text: long })) };
    const { result } = await planned({ request: "resource" }, {}, reply, forHost);
    const [first] = result.content as unknown as { resource: { text: string } }[];
    const expected = [text !== undefined, text ?? first!.resource.text];
    assert.deepEqual([result.isWhole ?? false, first!.resource.text], expected);
    assert.equal(first!.resource.text.includes("omitted"), text === undefined);
  }
});

Deno.test("featurePlan() refuses what is larger than is passed on", async () => {
  const textFor = async (contents: object, forHost: boolean) => {
    const reply = { contents: [{ text: "" }, contents].map((each) => ({ ...page, ...each })) };
    const { result } = await planned({ request: "resource" }, {}, reply, forHost);
    return [result.record?.ending, result.isError ? textOf(result) : ""];
  };
  const fits = ["answered", ""];
  const blob = "A".repeat(maxBlobLength);
  assert.deepEqual(await textFor({ blob }, true), fits);
  assert.deepEqual(await textFor({ blob: `${blob}AAAA` }, true), [
    "too long",
    "Resource 'ui://a' has 12,582,915 bytes, more than is passed on",
  ]);
  const text = "x".repeat(maxHostBytes);
  assert.deepEqual(await textFor({ text }, true), fits);
  assert.deepEqual(await textFor({ text: `${text}x` }, false), fits);
  assert.deepEqual(await textFor({ text: `${text}x` }, true), [
    "too long",
    "The resource has 16,777,217 bytes, more than is passed on",
  ]);
});

Deno.test("findFeature() finds completions and resources, listed or not", () => {
  const features = {
    prompts: [{ name: "p", title: "T", arguments: [{ name: "a" }, { name: "b", required: true }] }],
    ...{ templates: [{ uriTemplate: "x:{id}", name: "x", description: "About" }] },
    resources: [{ uri: "x:1", name: "x" }],
    hasResources: true,
  };
  const spec = specOf({ name: "one", transport: "stdio", command: "x" });
  const server = { spec, description: "", definitions: [], features } as unknown as DefinedServer;
  const addresses = new Addresses(["one"]);
  const tools = featuresOf([server], addresses);
  assert.deepEqual(tools.map(({ name, examples }) => [name, examples![0]]), [
    ["prompt:one__p", "T"],
    ["resource:x:1", "x"],
    ["resource:x:{id}", "x"],
  ]);
  const pool = { defined: [server], addresses } as never;
  const { args, effect, background, isOpen } = tools[0]!;
  assert.deepEqual(
    [args.map(({ name, required }) => [name, required]), effect, background, isOpen],
    [
      [["a", false], ["b", true]],
      ...["read", false, true],
    ],
  );
  assert.deepEqual(tools.map(({ description }) => description), ["", "", "About"]);
  const foreign = toolOf("resource:y:1", { feature: tools[1]!.feature! });
  const listed = (name: string): Tool | undefined =>
    [...tools, foreign].find((tool) => tool.name === name);
  const found = (name: string, args: object = {}) => {
    const { tool, isUnlisted } = findFeature(pool, { name, args }, listed) ?? {};
    const { request, ref } = (tool?.source ?? {}) as { request?: string; ref?: object };
    return tool && [tool.name, request, isUnlisted, ref];
  };
  const names = ["skill-entry:x:1", "completion:resource:y:1", "completion:prompt:none", "t"];
  for (const name of names) assert.equal(found(name), undefined, name);
  assert.deepEqual(found("completion:prompt:one__p"), [
    ...["completion:prompt:one__p", "completion", false],
    { type: "ref/prompt", name: "p" },
  ]);
  const resources: readonly [name: string, args: object, found: string, isUnlisted: boolean][] = [
    ["prompt:one__p", {}, "prompt:one__p", false],
    ["resource:x:1", {}, "resource:x:1", false],
    ["resource:x:9", {}, "resource:x:9", true],
    ["resource:x:{id}", { id: "1" }, "resource:x:1", false],
    ["resource:x:{id}", { id: "9" }, "resource:x:9", true],
    ["resource:x:{id}", {}, "resource:x:{id}", false],
  ];
  for (const [name, args, ...expected] of resources) {
    const [tool, , isUnlisted] = found(name, args)!;
    assert.deepEqual([tool, isUnlisted], expected);
  }
  const completion = findFeature(pool, { name: "completion:resource:x:{id}", args: {} }, listed)!;
  assert.deepEqual((completion.tool.source as { ref?: object }).ref, {
    ...{ type: "ref/resource", uri: "x:{id}" },
  });
  assert.deepEqual(completion.tool.args.map(({ name, required }) => [name, required]), [
    ["name", true],
    ["value", true],
    ["context", false],
  ]);
});
