import assert from "node:assert/strict";
import { ToolTable } from "../../src/catalog/tool_table.ts";
import { classicSurface, type Surface } from "../../src/server/surface.ts";
import { discoverySurface } from "../../src/server/discovery.ts";
import { fixturePath } from "../_fixtures.ts";
import { scratch } from "../e2e/_scratch.ts";
import { answerOf, type ConfigSketch, sessionOf, shellTool } from "../_session.ts";
import { unix } from "../_requirements.ts";

const config: ConfigSketch = {
  name: "git-tools",
  description: "MCP tools for Git",
  category: "vcs",
  tags: ["version-control", "commits"],
  tools: [
    {
      name: "git_commit",
      description: "Record changes to the repository",
      args: [{ name: "message", description: "Commit message", required: true }],
      command: "echo",
    },
    { name: "shell", description: "Runs a script", ...shellTool },
    ...Array.from({ length: 12 }, (_, number) => ({ name: `filler_${number}`, command: "echo" })),
  ],
};

async function surfaceOf(sketch: ConfigSketch = config): Promise<Surface> {
  return discoverySurface(await sessionOf(sketch));
}

for (const name of ["climax_search", "climax_call"]) {
  Deno.test(`discoverySurface() shows ${name} as the contract has it`, async () => {
    const contract = JSON.parse(await Deno.readTextFile(fixturePath("contracts", `${name}.json`)));
    const { list } = await surfaceOf();
    const { annotations: _, _meta, ...shown } = list().find((tool) => tool.name === name)!;
    assert.deepEqual(shown, contract);
    const hints = { "anthropic/alwaysLoad": true, "anthropic/maxResultSizeChars": 500_000 };
    assert.deepEqual(_meta, hints);
  });
}

Deno.test("discoverySurface() marks calls as read-only when every tool is", async () => {
  const marks = async (...effects: (string | undefined)[]) => {
    const tools = effects.map((effect, index) => ({ name: `t${index}`, command: "echo", effect }));
    return (await surfaceOf({ tools })).list().map((tool) => tool.annotations?.readOnlyHint);
  };
  assert.deepEqual(await marks("read", "read"), [true, true]);
  assert.deepEqual(await marks("read", "write"), [true, false]);
  assert.deepEqual(await marks("read", undefined), [true, false]);
});

async function search(args: unknown) {
  const result = await (await surfaceOf()).call("climax_search", args, {});
  // The JSON is the first text; what stands beside it is for whoever reads
  const { text, isError } = answerOf({ ...result, content: result.content.slice(0, 1) });
  assert.equal(isError, false, text);
  return JSON.parse(text);
}

const summary = [{
  name: "git-tools",
  description: "MCP tools for Git",
  tool_count: 14,
  category: "vcs",
  tags: ["version-control", "commits"],
}];

const summaries: readonly unknown[] = [
  undefined,
  { query: null, category: null, cli: null, limit: null },
  { unknown: "x" },
  { query: "", category: "", cli: "" },
];

for (const args of summaries) {
  Deno.test(`climax_search of ${JSON.stringify(args)} gives the summary`, async () => {
    assert.deepEqual(await search(args), { mode: "summary", summary });
  });
}

const filters: readonly [args: object, count: number][] = [
  [{ query: "zzz-nothing-has-this" }, 0],
  [{ category: "", cli: "git-tools", query: "" }, 10],
  [{ cli: "other" }, 0],
  [{ cli: "GIT-TOOLS" }, 10],
  [{ cli: "git-tools", limit: 100 }, 14],
  [{ cli: "git-tools", limit: "3" }, 3],
  [{ query: 1234567890 }, 0],
  [{ category: "VCS", limit: 0 }, 0],
];

for (const [args, count] of filters) {
  Deno.test(`climax_search of ${JSON.stringify(args)} gives ${count} results`, async () => {
    const { mode, results } = await search(args);
    assert.deepEqual([mode, results.length], ["search", count]);
  });
}

const badSearches: readonly [args: object, reasons: string[], help?: string][] = [
  [{ limit: -1 }, ["Argument 'limit': expected a whole number from 0, found '-1'"]],
  [{ offset: -1 }, ["Argument 'offset': expected a whole number from 0, found '-1'"]],
  [{ query: "x".repeat(4097) }, ["A search has at most 4096 characters"]],
  [{ querry: "a" }, ["Unknown argument 'querry'"], "'querry': did you mean query\n"],
  [
    { query: {}, category: [], cli: { a: 1 }, limit: "x" },
    [
      "Argument 'query': cannot convert '{}' to string",
      "Argument 'category': cannot convert '[]' to string",
      `Argument 'cli': cannot convert '{"a":1}' to string`,
      "Argument 'limit': cannot convert 'x' to integer",
    ],
  ],
];

for (const [args, reasons, help = ""] of badSearches) {
  Deno.test(`climax_search refuses ${JSON.stringify(args).slice(0, 80)}`, async () => {
    const { text, isError } = answerOf(await (await surfaceOf()).call("climax_search", args, {}));
    const lines = reasons.map((reason) => `  - ${reason}`);
    const takes = `\n${help}Takes: climax_search(query?, category?, cli?, limit: integer = 10)`;
    assert.equal(text, ["Argument validation failed:", ...lines, takes].join("\n"));
    assert.equal(isError, true);
  });
}

unix.test("climax_call reads args that are the JSON text of an object", async () => {
  const { call } = await surfaceOf();
  const args = ` { "script": "echo \\"in\\"" }`;
  const { text } = answerOf(await call("climax_call", { tool_name: "shell", args }, {}));
  assert.equal(text, "in");
});

Deno.test("climax_call does not parse a text that was made to be large", async () => {
  const { call } = await surfaceOf();
  const args = `{"script":[${"[],".repeat(100_000)}0]}`;
  const { text } = answerOf(await call("climax_call", { tool_name: "shell", args }, {}));
  assert.match(text, /'args' must be an object, found string/);
});

const badCalls: readonly [args: unknown, text: string | RegExp][] = [
  [{ tool_name: "nonexistent_tool" }, "Unknown tool: nonexistent_tool\n\nThere is no tool like it"],
  [{ tool_name: "git_comit" }, "Unknown tool: git_comit\n\nDid you mean: git_commit"],
  [
    { tool_name: "git_push" },
    "Unknown tool: git_push\n\nThere is no tool like it",
  ],
  [
    { tool_name: "git_commit" },
    "Argument validation failed:\n  - Missing required argument 'message'\n\nTakes: git_commit(message)",
  ],
  ...([
    [[], "a list"],
    ["{not JSON}", "string '{not JSON}'"],
    [JSON.stringify(JSON.stringify({ message: "x" })), /string '"\{.*/],
  ] as const).map(([args, found]) => {
    const source = typeof found === "string" ? found.replace(/[[\]{}]/g, "\\$&") : found.source;
    const text =
      `^Argument validation failed:\n {2}- 'args' must be an object, found ${source}\n\nTakes: git_commit\\(message\\)$`;
    return [{ tool_name: "git_commit", args }, new RegExp(text)] as [unknown, RegExp];
  }),
  [
    undefined,
    /^Argument validation failed:\n {2}- Missing required argument 'tool_name'\n\nTakes: /,
  ],
];

for (const [args, expected] of badCalls) {
  Deno.test(`climax_call refuses ${JSON.stringify(args)}`, async () => {
    const { text, isError } = answerOf(await (await surfaceOf()).call("climax_call", args, {}));
    if (typeof expected === "string") assert.equal(text, expected);
    else assert.match(text, expected);
    assert.equal(isError, true);
  });
}

Deno.test("discoverySurface() runs a tool that is called by its own name", async () => {
  const { call } = await surfaceOf();
  const done = answerOf(await call("git_commit", { message: "x" }, {}));
  assert.deepEqual(done, { text: "--message x", isError: false });
  const refused = answerOf(await call("git_commit", {}, {}));
  assert.match(refused.text, /^Argument validation failed:\n {2}- Missing required argument/);
  const misspelt = answerOf(await call("climax_serch", {}, {}));
  assert.equal(misspelt.text, "Unknown tool: climax_serch\n\nDid you mean: climax_search");
});

Deno.test("discoverySurface() neither runs nor names a tool that the policy removed", async () => {
  const policy = { file: "policy.yaml", text: "default: enabled\ndeny: [git_commit]" };
  const { call } = discoverySurface(await sessionOf(config, { policy }));
  for (
    const name of ["git_commit", "git-commit", "mcp__climax__git_commit", "git_comit", "gitCommit"]
  ) {
    const direct = await call(name, { message: "x" }, {});
    const inside = await call("climax_call", { tool_name: name, args: { message: "x" } }, {});
    for (const each of [direct, inside]) {
      assert.equal(answerOf(each).text, `Unknown tool: ${name}\n\nThere is no tool like it`);
    }
  }
});

for (const tool_name of ["climax_search", "mcp__climax__climax_search"]) {
  Deno.test(`climax_call of ${tool_name} searches with its arguments`, async () => {
    const surface = await surfaceOf();
    const args = { query: "record changes", limit: 1 };
    const wanted = await surface.call("climax_search", args, {});
    assert.deepEqual(await surface.call("climax_call", { tool_name, args }, {}), wanted);
  });
}

Deno.test("discoverySurface() has a line in the audit log for calls that name no tool", async () => {
  await using dir = await scratch();
  const audit = `${dir.path}/audit.jsonl`;
  const session = await sessionOf(config, { audit });
  const { call } = discoverySurface(session);
  await call("git_push", {}, { client: "tester" });
  const renamed = { tool_name: "mcp__climax__Git-Commit", args: { message: "x" } };
  await call("climax_call", renamed, { client: "tester" });
  await call("climax_call", { tool_name: 5 }, {});
  await call("climax_call", {}, {});
  await session.close();
  const lines = (await Deno.readTextFile(audit)).trimEnd().split("\n");
  const entries = lines.map((line) => JSON.parse(line));
  assert.deepEqual(
    entries.map(({ client, tool, decision, rule }) => [client, tool, decision, rule]),
    [
      ["tester", "git_push", "refused", "unknown tool"],
      ["tester", "git_commit", "allowed", "no policy"],
      ["unknown", "climax_call", "refused", "arguments"],
      ["unknown", "climax_call", "refused", "arguments"],
    ],
  );
  assert.match(entries[2].refusal, /'tool_name'.*found number '5'/);
});

Deno.test("surfaces tell of a change only if their list has changed", async () => {
  const session = await sessionOf(config);
  const told: string[] = [];
  const surfaces = { discovery: discoverySurface(session), classic: classicSurface(session) };
  const stops = Object.entries(surfaces).flatMap(([name, surface]) => {
    surface.list();
    return [1, 2].map(() => surface.onChange(() => told.push(name)));
  });
  const { tools } = session.index;
  const replace = (next: typeof tools) => {
    session.catalog.replace(new ToolTable(next));
    return told.splice(0);
  };
  assert.deepEqual(replace([...tools]), []);
  assert.deepEqual(replace(tools.slice(1)), ["classic", "classic"]);
  // The annotations of climax_call follow the effects of all tools
  const reads = tools.map((tool) => ({ ...tool, effect: "read" as const }));
  assert.deepEqual(replace(reads).toSorted(), ["classic", "classic", "discovery", "discovery"]);
  for (const stop of stops) stop();
  assert.deepEqual(replace(tools), []);
});
