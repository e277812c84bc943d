import assert from "node:assert/strict";
import { prepareCall } from "../../src/call/prepare.ts";
import type { CommandPlan } from "../../src/sources/command/runner.ts";
import { type ConfigSketch, sessionOf } from "../_session.ts";
import { unixTest } from "../_requirements.ts";

async function invocationOf(config: ConfigSketch, args?: unknown) {
  const { name } = config.tools[0] as { name: string };
  const prepared = await prepareCall(await sessionOf(config), { tool: name, args });
  assert.equal(prepared.ok, true);
  return (prepared.plan as CommandPlan).invocation;
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
  assert.deepEqual(invocation.argv, [
    ..."git -C /tmp sub src -a --max-count 3".split(" "),
    ...["--format=%h %s", "--colour=never"],
  ]);
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
  for (const none of [undefined, null, {}]) {
    assert.deepEqual((await invocationOf(config, none)).argv, ["x", "HEAD", "-n", "0", "-v"]);
  }
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
