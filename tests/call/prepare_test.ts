import assert from "node:assert/strict";
import { prepareCall } from "../../src/call/prepare.ts";
import { refusalText } from "../../src/call/refusal.ts";
import type { CommandPlan } from "../../src/sources/command/runner.ts";
import { type ConfigSketch, sessionOf } from "../_session.ts";
import { unixTest } from "../_requirements.ts";

async function refusalOf(
  config: ConfigSketch,
  args: unknown,
  tool = config.tools[0],
): Promise<string> {
  const { name } = tool as { name: string };
  const prepared = await prepareCall(await sessionOf(config), { tool: name, args });
  assert.equal(prepared.ok, false);
  return refusalText(prepared);
}

async function invocationOf(config: ConfigSketch, args?: unknown) {
  const { name } = config.tools[0] as { name: string };
  const prepared = await prepareCall(await sessionOf(config), { tool: name, args });
  assert.equal(prepared.ok, true);
  return (prepared.plan as CommandPlan).invocation;
}

const commit = {
  name: "git_commit",
  command: "git commit",
  args: [
    { name: "message", flag: "-m", required: true },
    { name: "count", type: "integer" },
    { name: "format", enum: ["json", "text", "csv"] },
  ],
};
const config = { tools: [commit, { name: "git_log", command: "git log" }] };

Deno.test("prepareCall() refuses an unknown tool in the contract's words", async () => {
  const unknown = { name: "nonexistent_tool" };
  assert.equal(await refusalOf(config, {}, unknown), "Unknown tool: nonexistent_tool");
});

Deno.test("prepareCall() suggests near names on a line of their own", async () => {
  const text = await refusalOf(config, {}, { name: "git_comit" });
  assert.equal(text, "Unknown tool: git_comit\nDid you mean: git_commit");
});

const refusals: readonly [args: unknown, text: string][] = [
  [{}, "Argument validation failed:\n  - Missing required argument 'message'"],
  [null, "Argument validation failed:\n  - Missing required argument 'message'"],
  [undefined, "Argument validation failed:\n  - Missing required argument 'message'"],
  [{ message: null }, "Argument validation failed:\n  - Missing required argument 'message'"],
  [
    { message: "x", count: "hello" },
    "Argument validation failed:\n  - Argument 'count': cannot convert 'hello' to integer",
  ],
  [
    { message: "x", format: "xml" },
    "Argument validation failed:\n  - Argument 'format' must be one of: json, text, csv",
  ],
  [
    { format: "xml", count: 1.5 },
    "Argument validation failed:\n" +
    "  - Missing required argument 'message'\n" +
    "  - Argument 'count': cannot convert '1.5' to integer\n" +
    "  - Argument 'format' must be one of: json, text, csv",
  ],
  [
    { message: "a\0b" },
    "Argument validation failed:\n  - Argument 'message': a NUL byte cannot be passed to a program",
  ],
  [
    { message: "\ud800" },
    "Argument validation failed:\n" +
    "  - Argument 'message': a lone surrogate is not valid Unicode text",
  ],
  [["x"], "Argument validation failed:\n  - 'args' must be an object, found a list"],
  ["message", "Argument validation failed:\n  - 'args' must be an object, found string 'message'"],
  [3, "Argument validation failed:\n  - 'args' must be an object, found number '3'"],
  [false, "Argument validation failed:\n  - 'args' must be an object, found boolean 'false'"],
  ["", "Argument validation failed:\n  - 'args' must be an object, found string ''"],
];

for (const [args, text] of refusals) {
  Deno.test(`prepareCall() refuses ${JSON.stringify(args)} in the contract's words`, async () => {
    const takes = "Takes: git_commit(message, count?: integer, format?: json|text|csv)";
    assert.equal(await refusalOf(config, args), `${text}\n${takes}`);
  });
}

Deno.test("prepareCall() builds the whole command line of a call", async () => {
  const tool = {
    name: "t",
    command: "sub",
    timeout: 2.5,
    args: [
      { name: "all", type: "boolean", flag: "-a" },
      { name: "path", positional: true },
      { name: "max_count", type: "integer" },
      { name: "format", flag: "--format=" },
      { name: "quiet", type: "boolean" },
    ],
  };
  const invocation = await invocationOf(
    {
      command: "git -C /tmp",
      env: { LANG: "C" },
      global_args: [{ name: "colour", flag: "--colour=", default: "never" }],
      tools: [tool],
    },
    { path: "src", all: "TRUE", max_count: "3", format: "%h %s", quiet: false, reason: "ignored" },
  );
  assert.deepEqual(
    invocation.argv,
    [
      "git",
      "-C",
      "/tmp",
      "sub",
      "src",
      "-a",
      "--max-count",
      "3",
      "--format=%h %s",
      "--colour=never",
    ],
  );
  assert.equal(invocation.env["LANG"], "C");
  assert.equal(invocation.timeoutMs, 2500);
  assert.equal("stdin" in invocation, false);
  assert.equal("cwd" in invocation, false);
});

Deno.test("prepareCall() applies defaults to positional arguments as well", async () => {
  const args = [
    { name: "from", positional: true, default: "HEAD" },
    { name: "to", positional: true },
    { name: "n", type: "integer", flag: "-n", default: 0 },
    { name: "v", type: "boolean", flag: "-v", default: true },
    { name: "w", type: "boolean", flag: "-w", default: false },
  ];
  const config = { tools: [{ name: "t", command: "x", args }] };
  assert.deepEqual((await invocationOf(config)).argv, ["x", "HEAD", "-n", "0", "-v"]);
  const given = { from: "main", to: "", v: "False", w: true };
  assert.deepEqual((await invocationOf(config, given)).argv, ["x", "main", "", "-n", "0", "-w"]);
});

const directories: readonly [
  configured: string | undefined,
  asked: string | undefined,
  cwd: string | undefined,
][] = [
  [undefined, undefined, undefined],
  ["/work/dir", undefined, "/work/dir"],
  ["/work/dir", "", "/work/dir"],
  ["/work/dir", "sub", "/work/dir/sub"],
  ["/work/dir", "../other", "/work/other"],
  ["/work/dir", "/tmp", "/tmp"],
  [undefined, "/tmp", "/tmp"],
  [undefined, "sub", "sub"],
];

for (const [working_dir, asked, cwd] of directories) {
  const title = `prepareCall() runs in ${cwd} for working_dir ${working_dir} and cwd '${asked}'`;
  unixTest(title, async () => {
    const tool = { name: "t", command: "x", args: [{ name: "dir", cwd: true }] };
    const invocation = await invocationOf({ working_dir, tools: [tool] }, { dir: asked });
    assert.equal(invocation.cwd, cwd);
    assert.deepEqual(invocation.argv, ["x"]);
  });
}

Deno.test("prepareCall() gives an input to the program, and none where none is given", async () => {
  const tool = { name: "t", command: "x", args: [{ name: "text", stdin: true }] };
  assert.equal((await invocationOf({ tools: [tool] }, { text: "in\n" })).stdin, "in\n");
  assert.equal((await invocationOf({ tools: [tool] }, { text: "" })).stdin, "");
  assert.equal("stdin" in await invocationOf({ tools: [tool] }), false);
});
