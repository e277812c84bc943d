/** Prompts and resources for a client of the SDK: what it lists, what it reads, and its errors. */

import assert from "node:assert/strict";
import { featureSurface } from "../../src/server/features.ts";
import { classicSurface } from "../../src/server/surface.ts";
import { completionName } from "../../src/tool/feature.ts";
import { type CallResult, textResult } from "../../src/tool/result.ts";
import type { Tool } from "../../src/tool/tool.ts";
import { sessionOf } from "../_session.ts";
import { joinClient } from "./_serving.ts";

const file = { uri: "a:file", blob: "eA==" };
const failing = (more: Partial<CallResult>) => ({ ...textResult("Why", true), ...more });
const failed = { record: { ending: "failed" } };
const results: Readonly<Record<string, CallResult>> = {
  "resource:a:file": { content: [{ type: "resource", resource: file }], isError: false },
  "resource:a:none": failing({ refusedBy: "unknown tool" }),
  "resource:a:gone": failing({ record: { ending: "not found" } }),
  "resource:a:refused": failing({ refusedBy: "deny" }),
  "resource:a:failed": failing(failed),
  "prompt:gone": failing({ record: { ending: "not found" } }),
  "prompt:refused": failing({ record: { ending: "refused" } }),
  "prompt:failed": failing(failed),
  "prompt:whole": { ...textResult("b"), prompt: { description: "c", roles: ["assistant"] } },
  [completionName("prompt:plain")]: { ...textResult(""), structured: { values: ["done"] } },
};

const features = [
  { kind: "prompt", id: "plain", listed: { name: "plain" } },
  { kind: "resource", id: "a:text", listed: { name: "a", uri: "a:text" } },
  { kind: "resource", id: "a:{x}", listed: { name: "a", uriTemplate: "a:{x}" }, isTemplate: true },
].map((feature) => ({ name: `${feature.kind}:${feature.id}`, feature }) as unknown as Tool);

Deno.test("a client has prompts, resources and templates as the calls for them answer", async () => {
  await using session = await sessionOf({ tools: [{ name: "echo", command: "echo" }] });
  const find = () => Promise.resolve(undefined);
  const services = { find, subscribe: find };
  const asked: unknown[] = [];
  await using joined = await joinClient({
    ...classicSurface(session, [], featureSurface(services, session)),
    listFeatures: () => features,
    callTool(name, args, { forHost }) {
      assert.equal(forHost, true);
      asked.push(args);
      return Promise.resolve(results[name] ?? textResult(name));
    },
  }, "auto");
  const { client } = joined;
  const { prompts, resources } = client.getServerCapabilities()!;
  assert.deepEqual([prompts, resources], [{ listChanged: true }, { listChanged: true }]);
  const [prompt, resource, template] = features.map(({ feature }) => feature!.listed);
  assert.deepEqual((await client.listPrompts()).prompts, [prompt]);
  assert.deepEqual((await client.listResources()).resources, [resource]);
  assert.deepEqual((await client.listResourceTemplates()).resourceTemplates, [template]);
  await assert.rejects(client.listPrompts({ cursor: "2" }), { code: -32602 });

  const read = async (uri: string) => (await client.readResource({ uri })).contents;
  assert.deepEqual(await read("a:file"), [file]);
  const text = { uri: "a:text", mimeType: "text/plain", text: "resource:a:text" };
  assert.deepEqual(await read("a:text"), [text]);
  const messages = async (name: string) => {
    const { description, messages } = await client.getPrompt({ name, arguments: { name } });
    return [description, ...messages.map(({ role, content }) => [role, content])];
  };
  const content = (text: string) => ({ type: "text", text });
  assert.deepEqual(await messages("plain"), [undefined, ["user", content("prompt:plain")]]);
  assert.deepEqual(await messages("whole"), ["c", ["assistant", content("b")]]);
  for (const name of ["none", "gone", "refused", "failed"]) {
    const code = name === "failed" ? -32603 : -32602;
    const message = /none|gone/.test(name) ? /not found/i : /^Why$/;
    await assert.rejects(read(`a:${name}`), { code, message });
    if (name !== "none") await assert.rejects(messages(name), { code, message: /^Why$/ });
  }
  asked.length = 0;
  const argument = { name: "a", value: "b" };
  const ref = { type: "ref/prompt", name: "plain" } as const;
  assert.deepEqual((await client.complete({ ref, argument })).completion, { values: ["done"] });
  const others = { type: "ref/resource", uri: "a:{x}" } as const;
  const more = { ref: others, argument, context: { arguments: { c: "d" } } };
  assert.deepEqual((await client.complete(more)).completion, { values: [] });
  assert.deepEqual(asked, [argument, { ...argument, context: { c: "d" } }]);
  await assert.rejects(client.complete({ ref: { ...ref, name: "x" }, argument }), { code: -32602 });
});
