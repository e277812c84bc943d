/** Calling, through a client: each text is that of the tool contracts to the letter. */

import assert from "node:assert/strict";
import { join, normalize } from "node:path";
import { connect } from "./_clients.ts";
import { isAlive, scaledSeconds } from "../_wait.ts";
import { scratch } from "./_scratch.ts";
import { fixture, scaledFixture } from "./_server.ts";

const literal = `$(id) ; "a" 'b' \`c\` * \\ é 🎉`;
// In the console's code page there
const bytes = Deno.build.os === "windows" ? /^a.b$/ : /^a\ufffdb$/;

/** A call, its text, and whether it is an error. */
const rows: readonly (readonly [
  tool: string,
  args: Record<string, unknown> | undefined,
  text: string | RegExp,
  isError?: true,
])[] = [
  ["probe_args", undefined, `["-l","3"]`],
  [
    "probe_args",
    { level: 9, format: "csv", dry_run: true, ratio: 2.5, count: 4, text: "t" },
    `["t","--count","4","--ratio=2.5","--dry-run","--format","csv","-l","9"]`,
  ],
  ["probe_args", { text: literal }, JSON.stringify([literal, "-l", "3"])],
  ["probe_stdin", { text: "line 1\nline 2\n" }, "line 1\nline 2"],
  ["probe_stdin", {}, "(no output)"],
  ["probe_env", {}, "from the config"],
  ["probe_bytes", {}, bytes],
  ["probe_warn", {}, "output from command\n\n[stderr]\nwarning message"],
  ["probe_fail", {}, "[stderr]\nerror message\n\n[exit code: 1]", true],
  ["missing_run", {}, "Command not found: climax-no-such-program", true],
  [
    "probe_cwd",
    { directory: "/no/such/directory" },
    `Working directory not found: ${normalize("/no/such/directory")}`,
    true,
  ],
];

Deno.test("climax_call answers and reports as the contract has it", async () => {
  await using dir = await scratch({ "sub/x": "" });
  const env = { CLIMAX_TEST_INHERITED: "yes" };
  await using client = await connect([scaledFixture("probe.yaml"), fixture("missing.yaml")], {
    cwd: dir.path,
    env,
  });
  const call = (tool_name: string, args?: Record<string, unknown>) => {
    return client.call("climax_call", { tool_name, ...(args && { args }) });
  };
  for (const [tool, args, expected, isError = false] of rows) {
    const { text, isError: failed } = await call(tool, args);
    if (typeof expected === "string") assert.equal(text, expected);
    else assert.match(text, expected);
    assert.equal(failed, isError, text);
  }
  assert.equal((await call("probe_cwd")).text, dir.path);
  const sub = join(dir.path, "sub");
  for (const directory of [sub, "sub"]) {
    assert.equal((await call("probe_cwd", { directory })).text, sub);
  }
  const file = join(dir.path, "timeout.pid");
  assert.deepEqual(await call("probe_timeout", { file }), {
    text: `[stderr]\nCommand timed out after ${scaledSeconds(1)}s\n\n[exit code: -1]`,
    isError: true,
  });
  assert.equal(isAlive(Number(await Deno.readTextFile(file))), false);
});
