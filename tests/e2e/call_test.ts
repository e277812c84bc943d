/** Calling (user story 2 and the edge cases): every text to the letter of the tool contracts. */

import assert from "node:assert/strict";
import { join, normalize } from "node:path";
import { connect, type ConnectedClient, type SeenResult } from "./_clients.ts";
import { isAlive, scaledSeconds } from "../_wait.ts";
import { type Scratch, scratch } from "./_scratch.ts";
import { fixture, scaledFixture } from "./_server.ts";

let dir: Scratch;
let client: ConnectedClient;
Deno.test.beforeAll(async () => {
  dir = await scratch();
  const env = { CLIMAX_TEST_INHERITED: "yes" };
  client = await connect([scaledFixture("probe.yaml"), fixture("missing.yaml")], {
    cwd: dir.path,
    env,
  });
});
Deno.test.afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await dir[Symbol.asyncDispose]();
});

async function call(tool_name: string, args?: unknown): Promise<SeenResult> {
  return await client.call("climax_call", { tool_name, ...(args === undefined ? {} : { args }) });
}

for (
  const [what, tool, args, text] of [
    ["no arguments at all", "probe_args", undefined, `["-l","3"]`],
    [
      "every kind of argument, positional first, flags as defined",
      "probe_args",
      { level: 9, format: "csv", dry_run: true, ratio: 2.5, count: 4, text: "t" },
      `["t","--count","4","--ratio=2.5","--dry-run","--format","csv","-l","9"]`,
    ],
    [
      "what a shell would read stays as it is",
      "probe_args",
      { text: `$(id) ; "a" 'b' \`c\` * \\ é 🎉` },
      JSON.stringify([`$(id) ; "a" 'b' \`c\` * \\ é 🎉`, "-l", "3"]),
    ],
    ["the standard input", "probe_stdin", { text: "line 1\nline 2\n" }, "line 1\nline 2"],
    ["an input that is not given is empty", "probe_stdin", {}, "(no output)"],
    ["the config's environment", "probe_env", {}, "from the config"],
    ["no output", "probe_nothing", {}, "(no output)"],
    // In the console's code page there
    [
      "bytes that are not UTF-8",
      "probe_bytes",
      {},
      Deno.build.os === "windows" ? /^a.b$/ : "a\ufffdb",
    ],
    ["stderr", "probe_warn", {}, "output from command\n\n[stderr]\nwarning message"],
  ] as [string, string, unknown, string | RegExp][]
) {
  Deno.test(`climax_call answers: ${what}`, async () => {
    const done = await call(tool, args);
    if (typeof text === "string") assert.deepEqual(done, { text, isError: false });
    else assert.match(done.text, text);
  });
}

for (
  const [what, tool, args, text] of [
    ["a failure", "probe_fail", {}, "[stderr]\nerror message\n\n[exit code: 1]"],
    ["a missing program", "missing_run", {}, "Command not found: climax-no-such-program"],
    [
      "a missing directory, and not a missing program",
      "probe_cwd",
      { directory: "/no/such/directory" },
      `Working directory not found: ${normalize("/no/such/directory")}`,
    ],
  ] as [string, string, object, string][]
) {
  Deno.test(`climax_call reports: ${what}`, async () =>
    assert.deepEqual(await call(tool, args), { text, isError: true }));
}

Deno.test("climax_call runs a tool in the server's directory, or in the one asked for", async () => {
  assert.equal((await call("probe_cwd")).text, dir.path);
  await Deno.mkdir(join(dir.path, "sub"));
  const sub = join(dir.path, "sub");
  assert.equal((await call("probe_cwd", { directory: sub })).text, sub);
  assert.equal((await call("probe_cwd", { directory: "sub" })).text, sub);
});

Deno.test("climax_call ends a tool at its timeout, and its process with it", async () => {
  const file = join(dir.path, "timeout.pid");
  const done = await call("probe_timeout", { file });
  const text = `[stderr]\nCommand timed out after ${scaledSeconds(1)}s\n\n[exit code: -1]`;
  assert.deepEqual(done, { text, isError: true });
  assert.equal(isAlive(Number(await Deno.readTextFile(file))), false);
});

Deno.test("a tool runs by its own name in discovery", async () => {
  const done = await client.call("probe_args", {});
  assert.deepEqual(done, await call("probe_args", {}));
  assert.equal(done.isError, false);
});
