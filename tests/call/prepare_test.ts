import assert from "node:assert/strict";
import type { FeatureServices } from "../../src/call/context.ts";
import { refusalText } from "../../src/call/refusal.ts";
import { prepareCall } from "../../src/call/prepare.ts";
import { ToolTable } from "../../src/catalog/tool_table.ts";
import type { CommandPlan } from "../../src/sources/command/runner.ts";
import { withVariables } from "../_io.ts";
import { answerTo, type ConfigSketch, policyOf, sessionOf } from "../_session.ts";
import { cliOf } from "../_tools.ts";
import { assertLinear } from "../_growth.ts";
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

Deno.test("a call has at most a thousand keys, none of them long", async () => {
  const session = await sessionOf({ tools: [{ name: "t", command: "x" }] });
  const withKeys = (length: number) => {
    const keys = Array.from({ length }, (_, at) => [`k${at}`, at]);
    return prepareCall(session, { tool: "t", args: Object.fromEntries(keys) });
  };
  assert.doesNotMatch(JSON.stringify(await withKeys(1000)), /at most 1000 keys/);
  const refused = await withKeys(1001);
  assert.match(JSON.stringify(refused), /'args' must have at most 1000 keys, found 1001/);
  const long = await prepareCall(session, { tool: "t", args: { ["aA".repeat(129)]: 1 } });
  assert.match(JSON.stringify(long), /A key of 'args' must have at most 256 characters/);
});

Deno.test("a note has sixty characters of an unknown key, and a host gets none", async () => {
  const tools = [{ name: "plain", command: "echo", effect: "read", args: [{ name: "word" }] }];
  await using session = await sessionOf({ tools });
  const long = "k".repeat(60);
  const rows = [[long, long], [`${long}k`, `"${long}…"`], ["k", "", true]] as const;
  for (const [key, named, forHost] of rows) {
    const { text } = await answerTo(session, { tool: "plain", args: { [key]: 1 } }, { forHost });
    const note = `[ignored, no such argument: ${named}. plain takes: word?]`;
    assert.equal(text.split("\n\n")[1], forHost ? undefined : note);
  }
});

Deno.test("prepareCall() finds a name among prompts and withheld tools, or says what it may mean", async () => {
  const tools = Array.from({ length: 7 }, (_, at) => ({
    name: `made${at}`,
    aliases: ["either", ...at < 2 ? ["two"] : []],
  }));
  await using session = await sessionOf({
    command: "echo",
    tools: [{ name: "drop", args: [{ name: "sent" }] }, ...tools],
  });
  let retries = 0;
  const away = { ...cliOf("away"), prefix: "away_", explain: () => "Away", retry: () => retries++ };
  const index = new ToolTable(session.index.tools, [away]);
  const find: FeatureServices["find"] = (name) => {
    const tool = index.get("drop")!;
    return Promise.resolve(name === "prompt:p" ? { tool, args: { sent: 1 } } : undefined);
  };
  const context = {
    ...{ index, runners: session.runners, features: { find } as FeatureServices },
    explainWithheld: (name: string) => Promise.resolve(name === "held" ? "Withheld" : undefined),
  };
  const names = tools.slice(0, 6).map(({ name }) => name).join(", ");
  const long = "x".repeat(200);
  const rows: readonly (readonly [tool: string, rule: string, text: string])[] = [
    ["prompt:p", "drop", '{"sent":1}'],
    ["Drop", "drop", "{}"],
    ["prompt:drop", "unknown tool", "Unknown prompt: drop"],
    ["none", "unknown tool", "Unknown tool: none\n\nThere is no tool like it"],
    ["drops", "unknown tool", "Unknown tool: drops\n\nDid you mean: drop"],
    ["either", "unknown tool", `Unknown tool: either\n\nDid you mean: ${names}`],
    ["two", "unknown tool", "Unknown tool: two\n\nDid you mean: made0, made1"],
    [long, "unknown tool", `Unknown tool: ${long}\n\nThere is no tool like it`],
    [`${long}y`, "unknown tool", `Unknown tool: ${long}…\n\nThere is no tool like it`],
    ["held", "withheld tool", "Withheld"],
    ["away_x", "absent server", "Away\nIts tools are not known until it answers"],
  ];
  for (const [tool, ...expected] of rows) {
    const call = await prepareCall(context, { tool });
    const found = call.ok
      ? [call.tool.name, JSON.stringify(call.given)]
      : [call.rule, refusalText(call)];
    assert.deepEqual(found, expected);
  }
  assert.equal(retries, 1);
});

const docker = { default: "enabled", executor: { type: "docker", image: "i" } };

for (
  const [what, HOME, policy, given, expected] of [
    ["a path", "/h", {}, { dir: "~" }, { dir: "/h" }],
    ["no other path", "/h", {}, { dir: "sub" }, { dir: "sub" }],
    ["some of many", "/h", {}, { all: ["~/a", "b"] }, { all: ["/h/a", "b"] }],
    ["none without a home", undefined, {}, { dir: "~" }, { dir: "~" }],
    ["none elsewhere", "/h", docker, { dir: "~/x" }, { dir: "~/x" }],
  ] as const
) {
  unixTest(`prepareCall() reads ~ as the home folder: ${what}`, async () => {
    using _ = withVariables({ HOME, USERPROFILE: undefined });
    const args = [
      { name: "dir", cwd: true },
      { name: "all", type: "array", positional: true, within: "/" },
    ];
    const rules = policyOf({ default: "enabled", ...policy });
    const config = { tools: [{ name: "t", command: "x", args }] };
    await using session = await sessionOf(config, { policy: rules });
    const call = await prepareCall(session, { tool: "t", args: given });
    assert.ok(call.ok);
    assert.deepEqual(Object.fromEntries(call.values), expected);
  });
}

for (
  const arg of [{ name: "path", positional: true, within: "." }, {
    name: "path",
    cwd: true,
  }]
) {
  Deno.test(`prepareCall() refuses a path of a megabyte with ${arg.cwd ? "cwd" : "limits"}, and shortens none`, async () => {
    const config = { tools: [{ name: "t", command: "x", args: [arg] }] };
    const session = await sessionOf(config);
    await assertLinear(
      (size) => () =>
        prepareCall(session, {
          tool: "t",
          args: { path: "a".repeat(size) + "/b/..".repeat(size / 5) },
        }),
      { size: 20_000 },
    );
    const args = { path: "a".repeat(1_000_000) + "/b/..".repeat(3000) };
    const prepared = await prepareCall(session, { tool: "t", args });
    assert.match(
      refusalText(prepared as never),
      /Argument 'path': no path may be that long: it has 1015000/,
    );
  });
}

unixTest("a program that fails and advises commands of its own has their tools named", async () => {
  const words = ["add", "pick", "pick_skip", "a", "b", "c", "d", "e"];
  const tools = [
    {
      name: "tester_run",
      command: "sh -c",
      argv: ['cat; exit "$0"', "{code}"],
      args: [{ name: "code", required: true }, { name: "text", stdin: true }],
    },
    ...words.map((word) => ({ name: `tester_${word}`, command: "echo" })),
  ];
  await using session = await sessionOf({ name: "tester", tools });
  const rows: readonly (readonly [advice: string, names?: string])[] = [
    [`use "tester add"; 'tester pick --skip'`, "tester_add, tester_pick_skip"],
    ["'tester pick --other' or 'tester none'", "tester_pick"],
    [`'tester run --again', "other add"`],
    ["tester add"],
    ["use\n  tester add FILE", "tester_add"],
    [
      `${words.map((word) => `'tester ${word}'`)}`,
      "tester_add, tester_pick, tester_a, tester_b, tester_c, tester_d",
    ],
    [`${"x".repeat(10_000)} 'tester add'`],
  ];
  for (const [advice, names] of rows) {
    for (const code of [1, 0]) {
      const args = { code: String(code), text: advice };
      const { text } = await answerTo(session, { tool: "tester_run", args });
      assert.equal(
        /\[tools for that: (.*)\]/.exec(text)?.[1],
        code === 0 ? undefined : names,
        advice,
      );
    }
  }
});
