/** One call from the tool's name to the text, through real programs. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { FakeClock } from "../_clock.ts";
import { until } from "../_wait.ts";
import { scratch } from "../e2e/_scratch.ts";
import { answerTo, callOnly, callShell, sessionOf, shellTool } from "../_session.ts";
import { unix } from "../_requirements.ts";

const scripts: readonly [what: string, script: string, text: string, isError: boolean][] = [
  ["stdout", "echo hello", "hello", false],
  ["stdout and stderr", "echo out; echo warn >&2", "out\n\n[stderr]\nwarn", false],
  ["stderr alone", "echo warn >&2", "[stderr]\nwarn", false],
  [
    "a failure",
    "echo 'error message' >&2; exit 1",
    "[stderr]\nerror message\n\n[exit code: 1]",
    true,
  ],
  ["a signal", "echo before; kill -SEGV $$", "before\n\n[signal: SIGSEGV]", true],
  ["nothing", "exit 0", "(no output)", false],
  ["text that is no UTF-8", "printf 'a\\377b\\342\\202'", "a\ufffdb\ufffd", false],
  ["UTF-8", "printf 'h\\303\\251 \\360\\237\\230\\200'", "hé 😀", false],
  ["a NUL byte in the output", "printf 'a\\000b'", "ab", false],
];

for (const [what, script, text, isError] of scripts) {
  unix.test(`call() gives ${what} in the contract's format`, async () =>
    assert.deepEqual(await callShell(script), { text, isError }));
}

unix.test("call() ends a program that takes too long, and keeps what it wrote", async () => {
  await using dir = await scratch();
  const clock = new FakeClock();
  const tool = { name: "only", ...shellTool, timeout: 0.5 };
  const session = await sessionOf({ working_dir: dir.path, tools: [tool] }, { clock });
  // What it would write at its end is not waited for
  const script = "echo half; echo way >&2; echo > ready; sleep 60; echo end";
  const answer = answerTo(session, { tool: "only", args: { script } });
  const ready = () => Deno.stat(join(dir.path, "ready")).then(() => true, () => false);
  await until(ready, "the output");
  await clock.advance(500);
  const { text, isError } = await answer;
  assert.equal(text, "half\n\n[stderr]\nway\nCommand timed out after 0.5s\n\n[exit code: -1]");
  assert.equal(isError, true);
});

unix.test("call() ends the program when the caller gives up", async () => {
  const session = await sessionOf({ tools: [{ name: "only", ...shellTool }] });
  const stop = new AbortController();
  const request = { tool: "only", args: { script: "echo ready; exec sleep 60" } };
  const onProgress = () => stop.abort();
  const { text, isError } = await answerTo(session, request, { signal: stop.signal, onProgress });
  assert.equal(text, "ready\n\n[stderr]\nCommand was cancelled\n\n[exit code: -1]");
  assert.equal(isError, true);
});

const missing = "climax-no-such-program";
const asked = { args: [{ name: "dir", cwd: true, default: "none" }] };

/** `DIR` is a folder that has a file only. */
const unstarted: readonly [what: string, config: object, text: string][] = [
  ["a program is missing", { command: `${missing} x` }, `Command not found: ${missing}`],
  ["a path is missing", { command: "DIR/no/program" }, "Command not found: DIR/no/program"],
  [
    "a directory is missing, and not the program",
    { command: "deno", working_dir: "DIR/none" },
    "Working directory not found: DIR/none",
  ],
  [
    "a directory that is asked for is missing",
    { command: "deno", working_dir: "DIR", tool: asked },
    "Working directory not found: DIR/none",
  ],
  [
    "a file is no directory to run in",
    { command: "deno", working_dir: "DIR/file" },
    "Working directory is not a directory that can be entered: DIR/file",
  ],
  ["a file is not executable", { command: "DIR/file" }, "Command is not executable: DIR/file"],
];

for (const [what, config, text] of unstarted) {
  unix.test(`call() says that ${what}`, async () => {
    await using dir = await scratch({ file: "echo no" });
    const here = JSON.parse(JSON.stringify(config).replaceAll("DIR", dir.path));
    const expected = { text: text.replace("DIR", dir.path), isError: true };
    assert.deepEqual(await callOnly(here), expected);
  });
}

unix.test("call() runs in the directory of the config, or of the argument", async () => {
  await using dir = await scratch();
  await Deno.mkdir(join(dir.path, "sub dir"));
  const tool = { args: [{ name: "dir", cwd: true }] };
  const config = { command: "pwd", working_dir: dir.path, tool };
  assert.equal((await callOnly(config)).text, dir.path);
  assert.equal((await callOnly(config, { dir: "sub dir" })).text, join(dir.path, "sub dir"));
  assert.equal((await callOnly(config, { dir: "/" })).text, "/");
  assert.equal((await callOnly({ command: "pwd", tool })).text, Deno.cwd());
});

Deno.test("call() refuses with isError, in the order of the contract", async () => {
  const tool = { args: [{ name: "count", type: "integer", required: true, enum: [1] }] };
  const config = { command: "climax-no-such-program", tool };
  const refused = (reason: string) => {
    return `Argument validation failed:\n  - ${reason}\n\nTakes: only(count: 1)`;
  };
  const rows: readonly [args: unknown, text: string][] = [
    [{}, refused("Missing required argument 'count'")],
    [{ file: "x" }, refused("Missing required argument 'count'")],
    [{ count: "x" }, refused("Argument 'count': cannot convert 'x' to integer")],
    [{ count: 2 }, refused("Argument 'count' must be one of: 1")],
    [{ count: "1" }, "Command not found: climax-no-such-program"],
  ];
  for (const [args, text] of rows) {
    assert.deepEqual(await callOnly(config, args), { text, isError: true });
  }
});

const guessed = {
  command: "echo",
  tools: [
    {
      name: "show",
      effect: "read",
      aliases: ["look", "either"],
      args: [
        { name: "revision", positional: true, aliases: ["commit", "{from}..{to}"] },
        { name: "other", positional: true, aliases: ["from_other"] },
      ],
    },
    { name: "undo", effect: "destructive", aliases: ["either"] },
  ],
};

const policyOf = (policy: object) => ({
  policy: { file: "policy.yaml", text: JSON.stringify(policy) },
});

unix.test("call() takes an alias for its argument, which coercion and policy see", async () => {
  const constraint = { pattern: "[a-z.]+", pattern_words: "small letters" };
  const policy = policyOf({ tools: { show: { args: { revision: constraint } } } });
  const session = await sessionOf(guessed, policy);
  const rows: readonly [tool: string, args: object, text: RegExp][] = [
    ["show", { commit: "a" }, /^a$/],
    ["look", { from: "a", to: "b" }, /^a\.\.b$/],
    ["show", { commit: "A" }, /^Policy validation failed:\n {2}- Argument 'revision': value 'A' /],
    ["show", { from: "-a", to: "b" }, /'-a\.\.b' begins with '-'/],
    [
      "show",
      { commit: "a", revision: "b" },
      /^Argument validation failed:\n {2}- 'commit' is 'revision', which has another value\n\nTakes: show/,
    ],
    // Of two tools, one is not served
    ["undo", {}, /^Unknown tool: undo/],
    ["either", { commit: "a" }, /^a$/],
  ];
  for (const [tool, args, text] of rows) {
    assert.match((await answerTo(session, { tool, args })).text, text, JSON.stringify(args));
  }
});

Deno.test("call() refuses an alias of several tools and names them, and one of no tool", async () => {
  const both = await answerTo(await sessionOf(guessed), { tool: "either" });
  assert.deepEqual(both, {
    text: "Unknown tool: either\n\nDid you mean: show, undo",
    isError: true,
  });
  const denied = await sessionOf(guessed, policyOf({ default: "enabled", deny: ["show"] }));
  assert.match((await answerTo(denied, { tool: "look" })).text, /^Unknown tool: look/);
  const rest = await answerTo(denied, { tool: "either" });
  assert.deepEqual(rest, { text: "(no output)", isError: false });
});

Deno.test("a policy has no rule for an alias of several tools", async () => {
  const listed = policyOf({ tools: { either: {}, undo: {} } });
  const { tools } = (await sessionOf(guessed, listed)).index;
  assert.deepEqual(tools.map(({ name }) => name), ["undo"]);
  // A misspelt rule where others are served is a problem
  const constrained = policyOf({ default: "enabled", tools: { either: {} } });
  await assert.rejects(sessionOf(guessed, constrained), /Nothing was loaded: 1 problem/);
  const denial = policyOf({ default: "enabled", deny: ["either"] });
  assert.deepEqual((await sessionOf(guessed, denial)).index.tools, []);
});

unix.test("call() refuses a command line that the system cannot pass", async () => {
  const tool = { args: [{ name: "text", positional: true }] };
  const large = "x".repeat(5 * 1024 * 1024);
  const { text, isError } = await callOnly({ command: "echo", tool }, { text: large });
  assert.match(text, /^Command line too long/);
  assert.equal(text.length < 500, true);
  assert.equal(isError, true);
});
