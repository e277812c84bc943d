/** A broken request gets a clear error, and the server goes on. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { type Message, type RawServer, startRaw } from "./_raw.ts";
import { type Scratch, scratch } from "./_scratch.ts";
import { fixture } from "./_server.ts";

let dir: Scratch;
let server: RawServer;
Deno.test.beforeAll(async () => {
  dir = await scratch();
  server = startRaw([fixture("probe.yaml")], { cwd: dir.path });
  await server.initialize();
});
Deno.test.afterAll(async () => {
  for (const line of server.lines) assert.equal(JSON.parse(line).jsonrpc, "2.0");
  await server[Symbol.asyncDispose]();
  await dir[Symbol.asyncDispose]();
});

/** The next message that is no answer to an earlier request. */
async function answerTo(line: string): Promise<Message> {
  const before = server.lines.length;
  let seen = 0;
  await server.sendText(line);
  return await server.message(() => seen++ >= before);
}

async function stillAnswers(): Promise<void> {
  const { text } = await server.call("climax_call", { tool_name: "probe_required", args: {} });
  assert.equal(
    text,
    "Argument validation failed:\n  - Missing required argument 'message'",
  );
}

const request = (params: string, id = `"x"`) =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}`;

for (
  const [what, line, code, id] of [
    ["malformed JSON", `{"jsonrpc":"2.0","id":1,`, -32700, null],
    ["an empty batch", `[]`, -32600, null],
    ["a batch", `[${request(`{"name":"climax_search"}`)}]`, -32600, null],
    ["an id of null", request(`{"name":"climax_search"}`, `null`), -32600, null],
    ["an unknown method", `{"jsonrpc":"2.0","id":"x","method":"no/such"}`, -32601, "x"],
    ["no params", `{"jsonrpc":"2.0","id":"x","method":"tools/call"}`, -32602, "x"],
    ["no tool name", request(`{}`), -32602, "x"],
    ["a tool name that is a number", request(`{"name":7}`), -32602, "x"],
    ["arguments that are a list", request(`{"name":"climax_call","arguments":[]}`), -32602, "x"],
    ["arguments that are a text", request(`{"name":"climax_call","arguments":"a"}`), -32602, "x"],
  ] as [string, string, number, string | null][]
) {
  Deno.test(`the server answers an error and goes on: ${what}`, async () => {
    const { error, id: answered } = await answerTo(line);
    assert.equal(error?.code, code, error?.message);
    assert.notEqual(error?.message, "");
    assert.equal(answered, id);
    await stillAnswers();
  });
}

const nul = "Argument 'text': a NUL byte cannot be passed to a program";
const proto = "Missing required argument 'message'";

const refusals: readonly [what: string, tool: string, args: string, said: string][] = [
  ["a NUL byte", "probe_args", String.raw`{"text":"a\u0000b"}`, nul],
  ["an argument named __proto__", "probe_required", '{"__proto__":{"message":"x"}}', proto],
];

for (const [what, tool, args, text] of refusals) {
  Deno.test(`the server refuses a value and goes on: ${what}`, async () => {
    const inside = `{"tool_name":"${tool}","args":${args}}`;
    const { result } = await answerTo(request(`{"name":"climax_call","arguments":${inside}}`));
    const [said, help] = result.content;
    assert.equal(said.text, `Argument validation failed:\n  - ${text}`);
    assert.match(help.text, /^(?:.*\n)*Takes: /);
    assert.equal(result.content.length, 2);
    assert.equal(result.isError, true);
    await stillAnswers();
  });
}

Deno.test("a broken call runs nothing", async () => {
  const file = join(dir.path, "never.pid");
  const args = { file, ms: "soon" };
  assert.equal((await server.call("climax_call", { tool_name: "probe_hold", args })).isError, true);
  await assert.rejects(Deno.stat(file), Deno.errors.NotFound);
});
