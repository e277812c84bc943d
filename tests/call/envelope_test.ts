/** What a model sends beside the schema of a call is used, refused or said: nothing is dropped without a word. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { callKeys, readCall, toolNameIn } from "../../src/call/envelope.ts";
import { classicSurface } from "../../src/server/surface.ts";
import { discoverySurface } from "../../src/server/discovery.ts";
import type { Session } from "../../src/session/session.ts";
import type { CallResult } from "../../src/tool/result.ts";
import { scratch } from "../e2e/_scratch.ts";
import { withVariables } from "../_io.ts";
import { unixTest } from "../_requirements.ts";
import { answerOf, type ConfigSketch, openPolicy, sessionOf } from "../_session.ts";
import { odd, withServers } from "../_upstream.ts";

const args = [
  { name: "path", type: "array", positional: true },
  { name: "staged", type: "boolean", flag: "--staged" },
];
const config: ConfigSketch = {
  tools: [
    { name: "restore", command: "echo restored", effect: "destructive", args },
    { name: "push", command: "echo pushed", effect: "write", args },
    { name: "diff", command: "echo differs", effect: "read", args },
    { name: "jq", command: "echo", effect: "read", args: [{ name: "input", positional: true }] },
    {
      name: "named",
      command: "echo",
      args: [{ name: "name", positional: true }, { name: "tool_name" }],
    },
    {
      name: "wrapped",
      command: "echo",
      args: [{ name: "args", positional: true }, { name: "reason" }],
    },
    { name: "loose", command: "echo loose", unknown_args: "ignore", args },
    { name: "strict", command: "echo strict", effect: "read", unknown_args: "refuse", args },
  ],
};
const takes = "path?: string[], staged?: boolean";
const noTool = "There is no tool like it";
const takesPush = `Takes: push(${takes})`;
const takesCall = "Takes: climax_call(tool_name, args?: object)";
const nothing = "Nothing was run: the tool has no way to do 'dry_run'\n";

/** The texts of the blocks. */
function blocksOf({ content }: CallResult): string[] {
  return content.map((block) => block.type === "text" ? block.text : block.type);
}

/** A call as a model sends it, and the first and the second block of the answer. */
const envelopes: readonly (readonly [given: object, first: string | RegExp, second?: string])[] = [
  [{ tool_name: "push", args: { path: ["a"] } }, "pushed a"],
  [{ tool_name: "push", arguments: { path: ["a"] } }, "pushed a"],
  [{ tool_name: "push", params: '{"path": ["a"]}', args: {} }, "pushed a"],
  [{ tool_name: "push", input: { path: ["a"] }, args: null }, "pushed a"],
  [{ tool_name: "push", path: ["a"], staged: "true" }, "pushed a --staged"],
  [{ tool_name: "push", args: { path: ["a"] }, staged: true }, "pushed a --staged"],
  [{ tool_name: "push", args: { arguments: '{"path": "a"}' } }, "pushed a"],
  [{ tool_name: "push", args: { args: { args: { path: ["a"] } } } }, "pushed a"],
  [{ tool_name: "push", args: { path: ["a"] }, path: null, staged: undefined }, "pushed a"],
  [{ tool_name: "wrapped", args: { args: "x" }, reason: "y" }, "x --reason y"],
  [{ args: { tool_name: "push", args: { path: ["a"] } } }, "pushed a"],
  [{ tool_name: "push", args: { tool_name: "push", args: { path: ["a"] } } }, "pushed a"],
  [{ name: "push", arguments: { path: ["a"] } }, "pushed a"],
  [{ tool: "push", args: { path: ["a"] } }, "pushed a"],
  [{ tool_name: "push", args: { path: ["a"] }, arguments: { path: ["a"] } }, "pushed a"],
  [{ tool_name: null }, /Missing required argument 'tool_name'$/, takesCall],
  [{ tool_name: 3, name: "push" }, /'tool_name': expected the name of a tool, found/, takesCall],
  [{ tool_name: "push", args: "x" }, /'args' must be an object/, takesPush],
  [{ tool_name: "push", options: { path: ["a"] } }, /Unknown argument 'options'$/, takesPush],
  [{ tool_name: "none", args: { args: {} } }, /^Unknown tool: none/, noTool],
  [{ tool_name: "jq", input: "x" }, "x"],
  [{ tool_name: "jq", args: { input: "x" } }, "x"],
  [
    { tool_name: "push", args: { path: ["a"] }, arguments: { path: ["b"] } },
    /'path' is given twice/,
    takesCall,
  ],
  [{ tool_name: "push", args: { path: ["a"] }, path: ["b"] }, /'path' is given twice/, takesCall],
  [
    { tool_name: "push", tool: "restore" },
    /'tool_name' and 'tool' differ: 'push', 'restore'$/,
    takesCall,
  ],
  [
    { tool_name: "push", dry_run: true },
    /Unknown argument 'dry_run'$/,
    `${nothing}${takesPush}`,
  ],
  [{ tool_name: "push", args: { path: ["a"], name: "x" } }, /Unknown argument 'name'/, takesPush],
  [{ tool_name: "push", args: { path: ["a"] }, name: 3 }, /Unknown argument 'name'/, takesPush],
  [{ tool_name: "named", name: "x", args: { tool_name: "y" } }, "x --tool-name y"],
  [{ tool_name: "named" }, "(no output)"],
  [{ tool_name: "none", tool: "push" }, /^Unknown tool: none/, noTool],
  [
    { tool_name: "push", args: { args: { args: { args: {} } } } },
    /Unknown argument 'args'/,
    takesPush,
  ],
  [{ tool_name: "push", args: { arguments: "x" } }, /Unknown argument 'arguments'/, takesPush],
  [{ tool_name: "push", reason: "why", args: { thought: "hm", path: "a" } }, "pushed a"],
  [
    { tool_name: "restore", args: { path: "a", dry_run: true, preview: 1 } },
    [
      "Argument validation failed:",
      "  - Unknown argument 'dry_run'",
      "  - Unknown argument 'preview'",
    ].join("\n") as unknown as string,
    `${nothing}Takes: restore(${takes})`,
  ],
  [
    { tool_name: "diff", args: { from: "a", "t\no": "b" } },
    "differs",
    `[ignored, no such argument: from, "t\\no". diff takes: ${takes}]`,
  ],
  [
    { tool_name: "diff", args: { stagde: true } },
    /Unknown argument 'stagde'$/,
    `'stagde': did you mean staged\nTakes: diff(${takes})`,
  ],
  [{ tool_name: "diff", args: { description: "I look" } }, "differs"],
  [{ tool_name: "loose", args: { from: true } }, "loose"],
  [
    { tool_name: "loose", args: { dry_run: true } },
    /Unknown argument 'dry_run'$/,
    `${nothing}Takes: loose(${takes})`,
  ],
  [{ tool_name: "strict", args: { from: 1 } }, /argument 'from'$/, `Takes: strict(${takes})`],
];

for (const [given, first, second] of envelopes) {
  unixTest(`climax_call of ${JSON.stringify(given)}`, async () => {
    await using session = await sessionOf(config, { policy: openPolicy });
    const [own, ...more] = blocksOf(await discoverySurface(session).call("climax_call", given, {}));
    if (typeof first === "string") assert.equal(own, first);
    else assert.match(own!, first);
    assert.deepEqual(more, second === undefined ? [] : [second]);
  });
}

unixTest("classic mode says and refuses the same, and a policy decides otherwise", async () => {
  await using session = await sessionOf(config);
  const { call } = classicSurface(session);
  assert.match(answerOf(await call("push", { dry_run: true }, {})).text, /Takes: push\(path/);
  assert.equal(blocksOf(await call("diff", { from: 1 }, {})).length, 2);
  const text = "default: enabled\nunknown_args: refuse\ntools: { push: { unknown_args: ignore } }";
  const policy = { file: "policy.yaml", text };
  await using held = await sessionOf(config, { policy });
  const flat = (tool_name: string) => {
    return discoverySurface(held).call("climax_call", { tool_name, from: "a" }, {});
  };
  assert.deepEqual(blocksOf(await flat("push")), ["pushed"]);
  assert.match(answerOf(await flat("diff")).text, /^Argument validation failed:\n.*'from'/);
});

Deno.test("the keys of a call are those of the schema of climax_call", async () => {
  await using session = await sessionOf(config);
  const [, call] = discoverySurface(session).list();
  assert.deepEqual(Object.keys(call!.inputSchema.properties!), Object.keys(callKeys));
  for (const given of ["push", { args: { name: "hotfix" } }]) {
    assert.equal(toolNameIn(given), undefined);
  }
  // A word to the client is not for the tool
  const given = { tool_name: "a", reason: "why", args: { thought: "hm" } };
  const read = readCall(given, { resolve: () => undefined });
  assert.deepEqual(read, { tool: "a", args: { thought: "hm" } });
});

Deno.test("climax_search takes its query under other names, and says what it ignores", async () => {
  await using session = await sessionOf(config);
  const search = (given: object) => discoverySurface(session).call("climax_search", given, {});
  for (const given of [{ q: "diff" }, { keyword: "diff" }, { queries: ["diff"], query: "" }]) {
    assert.match(
      answerOf(await search(given)).text,
      /^\{"mode":"search","results":\[\{"tool_name":"diff"/,
    );
  }
  const [, note] = blocksOf(await search({ query: "diff", sort: "name" }));
  assert.match(note!, /^\[ignored, no such argument: sort\. climax_search takes: query\?, /);
});

/** Tools of a server, whose `echo` gives its `text` back. */
const ofServer:
  readonly (readonly [input: object, args: object, texts: readonly (string | RegExp)[]])[] = [
    [{ text: { type: "array", items: { type: "string" } } }, { text: '["a","b"]' }, ["a,b"]],
    [{ text: { type: "array", items: { type: "integer" }, minItems: 1 } }, { text: "7" }, ["7"]],
    [{ text: { type: "string" } }, { text: ["a"] }, ["a"]],
    [{ text: {}, deep: { properties: { n: { type: "integer" } }, type: "object" } }, {
      text: 1,
      deep: '{"n": "3"}',
    }, ["1"]],
    [{ text: { type: "string" } }, { text: "a", dry_run: true }, [
      /Unknown argument 'dry_run'$/,
      /^Takes: odd__echo\(text\?\)$/,
    ]],
  ];

for (const [properties, given, texts] of ofServer) {
  Deno.test(`a tool of a server with ${JSON.stringify(properties)} gets ${JSON.stringify(given)}`, async () => {
    await withEcho({ inputSchema: { type: "object", properties } }, async (session) => {
      const blocks = blocksOf(await classicSurface(session).call("odd__echo", given, {}));
      assert.equal(blocks.length, texts.length);
      texts.forEach((text, index) => {
        if (typeof text === "string") assert.equal(blocks[index], text);
        else assert.match(blocks[index]!, text);
      });
    });
  });
}

Deno.test("a server's tool with a closed schema is held, one that allows others gets them", async () => {
  const properties = { text: { type: "string" } };
  const all = { text: "a", dry_run: true };
  const call = async (more: object, annotations?: object, given: object = { args: all }) => {
    let blocks: string[] = [];
    const inputSchema = { type: "object", properties, ...more };
    await withEcho({ inputSchema, ...(annotations && { annotations }) }, async (session) => {
      blocks = blocksOf(
        await discoverySurface(session).call(
          "climax_call",
          { tool_name: "odd__echo", ...given },
          {},
        ),
      );
    });
    return blocks;
  };
  assert.deepEqual(await call({ additionalProperties: true }), ["a"]);
  assert.deepEqual(await call({ additionalProperties: true }, {}, { arguments: all }), ["a"]);
  const nested = { args: { text: "b", args: { text: "a" } } };
  assert.deepEqual(await call({ additionalProperties: true }, {}, nested), ["b"]);
  assert.match(
    (await call({ additionalProperties: false }))[0]!,
    /Unknown argument 'dry_run'$/,
  );
  const read = await call({ additionalProperties: false }, { readOnlyHint: true });
  assert.deepEqual(read, ["a", "[ignored, no such argument: dry_run. odd__echo takes: text?]"]);
  const undeclared = await call({}, { readOnlyHint: true });
  assert.deepEqual(undeclared, [
    "a",
    "[sent on, but not in the schema: dry_run. odd__echo takes: text?]",
  ]);
});

async function withEcho(tool: object, use: (session: Session) => Promise<void>): Promise<void> {
  await using dir = await scratch({ "tools.json": JSON.stringify([{ name: "echo", ...tool }]) });
  const file = join(dir.path, "tools.json");
  await withServers([odd("odd", "defined", file)], use);
}

unixTest("a path with ~ is that of the home folder, and is checked as such", async () => {
  await using home = await scratch();
  using _home = withVariables({ HOME: home.path });
  const path = { name: "path", positional: true, within: "." };
  const text = { name: "text", positional: true };
  const cwd = { name: "directory", cwd: true };
  const tools = [
    { name: "show", command: "echo", effect: "read", args: [path, text] },
    { name: "place", command: "pwd", effect: "read", args: [cwd] },
    { name: "fixed", command: "echo", effect: "read", args: [path] },
  ];
  const rule = { default: "enabled", tools: { fixed: { args: { path: { value: "~/y" } } } } };
  const policy = { file: "p", text: JSON.stringify(rule) };
  await using session = await sessionOf({ working_dir: home.path, tools }, { policy });
  const call = async (tool: string, given: object) => {
    return answerOf(await classicSurface(session).call(tool, given, {})).text;
  };
  assert.equal(await call("show", { path: "~/x", text: "~/x" }), `${home.path}/x ~/x`);
  // The value of the policy is as it is written there
  assert.equal(await call("fixed", {}), "~/y");
  assert.equal(await call("place", { directory: "~" }), await Deno.realPath(home.path));
  assert.match(
    await call("show", { path: "~/../x" }),
    new RegExp(
      `lies outside ${await Deno.realPath(home.path)}, the directory of the call\n\nTakes: show`,
    ),
  );
});

Deno.test("a pattern is refused in words, and never with a long expression", async () => {
  const long = "a".repeat(61);
  const args = [{ name: "short", pattern: "[ab]+" }, { name: "long", pattern: long }];
  await using session = await sessionOf({ tools: [{ name: "one", command: "echo", args }] });
  const { text } = answerOf(
    await classicSurface(session).call("one", { short: "c", long: "c" }, {}),
  );
  assert.match(text, /value 'c' does not match pattern '\[ab\]\+'/);
  assert.match(text, /value 'c' does not match the pattern of its argument/);
  assert.equal(text.split("\nTakes:")[0]!.includes(long), false);
});
