/** Policy files: every problem of a file at once, and what stops a start. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { loadConfigs } from "../../src/sources/command/load.ts";
import { formatProblem, type Problem } from "../../src/errors.ts";
import { explainDecisions, loadPolicy, readPolicy } from "../../src/policy/load.ts";
import type { Tool } from "../../src/tool/tool.ts";
import { fixtureNames, fixturePath, root } from "../_fixtures.ts";
import { scratch } from "../e2e/_scratch.ts";
import { argOf, toolOf } from "../_tools.ts";
import { unixTest } from "../_requirements.ts";

const variables: Readonly<Record<string, string>> = {
  CLIMAX_TEST_SET: "/srv/work",
  CLIMAX_TEST_EMPTY: "",
  HOME: "/home/ada",
  USERPROFILE: "/home/ada",
};
const environment = (name: string) => variables[name];
const { tools } = await loadConfigs([fixturePath("policy", "tools.yaml")], environment);

/** What a policy of this text comes to. */
async function load(text: string, some: readonly Tool[] = tools, strict = false) {
  await using dir = await scratch({ "policy.yaml": text });
  const file = join(dir.path, "policy.yaml");
  const loaded = await loadPolicy(file, some, { environment, strict });
  const say = (problems: readonly Problem[]) => problems.map((each) => withoutFile(each, file));
  return { ...loaded, problems: say(loaded.problems), warnings: say(loaded.warnings) };
}

/** A problem as its line in the expected text, which names no file. */
function withoutFile(problem: Problem, file: string): string {
  assert.equal(problem.file, file);
  return `${formatProblem(problem).replace(`${file}:`, "")}\n`;
}

for (const name of fixtureNames(join("policy", "invalid"), ".yaml")) {
  Deno.test(`loadPolicy() locates every problem of invalid/${name}`, async () => {
    const file = fixturePath("policy", "invalid", name);
    const expected = await Deno.readTextFile(file.replace(/\.yaml$/, ".txt"));
    const { problems } = await loadPolicy(file, tools, { environment, strict: false });
    assert.equal(problems.map((problem) => withoutFile(problem, file)).join(""), expected);
    assert.notEqual(expected, "");
  });
}

for (const name of fixtureNames(join("policy", "valid"), ".yaml")) {
  Deno.test(`loadPolicy() has nothing to say about valid/${name}`, async () => {
    const file = fixturePath("policy", "valid", name);
    const loaded = await loadPolicy(file, tools, { environment, strict: true });
    assert.deepEqual(loaded.problems.map(formatProblem), []);
    assert.deepEqual(loaded.warnings.map(formatProblem), []);
    assert.notEqual(loaded.tools.length, 0);
  });
}

Deno.test("loadPolicy() reads every key of a policy", async () => {
  const file = fixturePath("policy", "valid", "everything.yaml");
  const loaded = await loadPolicy(file, tools, { environment, strict: true });
  assert.deepEqual(loaded.executor, { kind: "local" });
  assert.equal("results" in loaded, false);
  assert.equal((await load("results: compact")).results, "compact");
  assert.deepEqual(loaded.tools.map(({ name }) => name), ["notes_list", "notes_add"]);
  const [list, add] = loaded.tools;
  assert.deepEqual(add, { ...tools[1]!, needsConsent: false, rule: "tools.notes_add" });
  assert.equal(list!.description, "Lists the notes of this project");
  assert.equal(list!.rule, "tools.notes_list");
  assert.equal(list!.concurrency, 1);
  assert.equal(list!.keepBytes, 64 * 1024);
  const constraints = new Map(list!.args.map(({ name, constraint }) => [name, constraint]));
  const nothing = { allowLeadingDash: false, secret: false };
  const { pattern, ...rest } = constraints.get("path")!;
  assert.equal(pattern?.source, "^src/.*");
  const cwd = await Deno.realPath(".");
  assert.deepEqual(rest, { within: cwd, allowLeadingDash: true, secret: true });
  assert.deepEqual(constraints.get("max_count"), { min: -1.5, max: 100, ...nothing });
  assert.deepEqual(constraints.get("dir"), { within: cwd, ...nothing });
  assert.deepEqual(constraints.get("body"), nothing);
  assert.equal(constraints.get("ratio"), undefined);
});

const executors: readonly [text: string, executor: unknown][] = [
  [
    Deno.readTextFileSync(fixturePath("policy", "valid", "docker.yaml")),
    {
      kind: "docker",
      image: "alpine:3",
      volumes: ["/srv/work:/work:ro", "/home/ada/x:/x"],
      workingDir: "/work",
      network: "none",
    },
  ],
  ["executor: { type: docker, image: a }", { kind: "docker", image: "a", volumes: [] }],
];

Deno.test("loadPolicy() reads every key of an executor, and adds none", async () => {
  for (const [text, executor] of executors) {
    const loaded = await load(text);
    assert.deepEqual([loaded.problems, loaded.executor], [[], executor], text);
  }
});

const nothingLeft = "1:1: The policy leaves no tool\n" +
  "  hint: 'default: enabled' serves what nothing else refuses\n";

const everyName = ["notes_list", "notes_add", "notes_remove", "diary_show"];

const servedRows: readonly [policy: string, names: readonly string[], warnings: string][] = [
  ["tools: { notes_add: }", ["notes_add"], ""],
  ["tools: { notes_remove: {}, notes_list: {} }", ["notes_list", "notes_remove"], ""],
  ["default: enabled", everyName, ""],
  ["tools:", [], nothingLeft],
  // A name is a name: no case, no white space, no look-alike, no prototype stands for another
  ["tools: { Notes_add: }", [], unknown("Notes_add", "notes_add")],
  ["tools: { 'notes_add ': }", [], unknown("notes_add ", "notes_add")],
  ["tools: { nоtes_add: }", [], unknown("nоtes_add", "notes_add")],
  ["tools: { notes: }", [], unknown("notes")],
  ["tools: { constructor: { description: x } }", [], unknown("constructor")],
  ["tools: { old_list: }", ["notes_list"], ""],
  // What denies comes first
  ["default: enabled\ndeny: [notes_add, 'diary_*']", ["notes_list", "notes_remove"], ""],
  ["default: enabled\ndeny: ['*']", [], "1:1: The policy leaves no tool\n"],
  [
    "deny: ['notes_*']\ntools: { notes_add: , diary_show: }",
    ["diary_show"],
    "2:10: Tool 'notes_add' is listed and not served: 'notes_*' denies it\n",
  ],
  [
    "effects: [read]\ntools: { notes_list: , diary_show: }",
    ["notes_list"],
    "2:24: Tool 'diary_show' is listed and not served: its effect is not known, which counts as " +
    "write, and only these are served: read\n",
  ],
  [
    "tools: { notes_list: }\ndeny: ['x*', 'cli:other']",
    ["notes_list"],
    "2:8: No config has a tool that 'x*' fits\n2:14: No tool is of the CLI 'other'\n",
  ],
];

function unknown(name: string, near?: string): string {
  return "1:1: The policy leaves no tool\n" +
    `1:10: No config has a tool '${name}'\n` +
    (near === undefined ? "" : `  hint: Did you mean: ${near}\n`);
}

for (const [policy, names, warnings] of servedRows) {
  Deno.test(`loadPolicy() leaves [${names}] of ${JSON.stringify(policy)}`, async () => {
    const loaded = await load(policy);
    assert.deepEqual(loaded.tools.map(({ name }) => name), names);
    assert.equal(loaded.warnings.join(""), warnings);
    assert.deepEqual(loaded.problems, []);
  });
}

Deno.test("loadPolicy() makes a denial that fits nothing an error where others are served", async () => {
  const rows: readonly [deny: string, problem: string][] = [
    ["Notes_*", "2:8: No config has a tool that 'Notes_*' fits\n"],
    ["cli:noets", "2:8: No tool is of the CLI 'noets'\n  hint: Did you mean: notes\n"],
    ["category:vcs", "2:8: No tool is of the category 'vcs'\n"],
    ["notes_ad", "2:8: No config has a tool 'notes_ad'\n  hint: Did you mean: notes_add\n"],
  ];
  for (const [deny, problem] of rows) {
    const loaded = await load(`default: enabled\ndeny: ['${deny}']`);
    assert.equal(loaded.problems.join(""), problem, deny);
  }
  // An effect cannot be misspelt and has no tool here or there
  const effect = await load("default: enabled\neffects: [read]\ndeny: ['effect:destructive']");
  assert.deepEqual(effect.problems, []);
  const idle = await load("default: enabled\ndeny: ['effect:destructive']", [tools[0]!]);
  const said = "2:8: No tool has the effect 'destructive'\n";
  assert.deepEqual([idle.problems, idle.warnings], [[], [said]]);
  const one = await load("tools: { notes_lst: }", [tools[0]!]);
  assert.match(one.warnings.join(""), /hint: Did you mean: notes_list\n/);
});

Deno.test("loadPolicy() knows names of tools that are not served, and old names of several", async () => {
  const some = ["a", "b", "x"].map((name) =>
    toolOf(name, { aliases: name === "x" ? [] : ["old", `old_${name}`] })
  );
  const withheld = [{ tool: toolOf("c", { aliases: ["old_c"] }), reason: "" }] as never;
  const rows: readonly [text: string, warnings: string[]][] = [
    ["deny: [old]\ntools: { x: }", []],
    ["tools: { a: , old: }", ["1:15: No config has a tool 'old'\n"]],
    ["deny: [old_b]\ntools: { x: , old_c: , c: }", []],
    ["tools: { a: }\ndeny: [d_x, 'e_*']", ["2:13: No config has a tool that 'e_*' fits\n"]],
  ];
  for (const [text, warnings] of rows) {
    const options = { environment, strict: false, withheld, absent: [{ name: "d", prefix: "d_" }] };
    const loaded = await loadPolicy({ file: "p.yaml", text }, some, options as never);
    assert.deepEqual(loaded.warnings.map((each) => withoutFile(each, "p.yaml")), warnings, text);
  }
});

Deno.test("loadPolicy() makes an unknown tool an error when it is strict", async () => {
  const policy = "tools:\n  notes_add:\n  notes_lst:\n";
  const said =
    "3:3: No config has a tool 'notes_lst'\n  hint: Did you mean: notes_list, notes_add\n";
  const lenient = await load(policy);
  assert.deepEqual([lenient.problems, lenient.warnings], [[], [said]]);
  const strict = await load(policy, tools, true);
  assert.deepEqual([strict.problems, strict.warnings], [[said], []]);
});

Deno.test("loadPolicy() holds arguments and tools with the names of prototypes", async () => {
  const tool = toolOf("toString", { args: [argOf("constructor"), argOf("hasOwnProperty")] });
  const policy = `tools: { toString: { args: { constructor: { pattern: a } } } }`;
  const { tools: [served] } = await load(policy, [tool]);
  assert.deepEqual(served!.args.map(({ constraint }) => constraint?.pattern?.source), [
    "a",
    undefined,
  ]);
});

unixTest("loadPolicy() resolves the links of a directory", async () => {
  await using dir = await scratch();
  await Deno.mkdir(join(dir.path, "real"));
  await Deno.writeTextFile(join(dir.path, "file"), "");
  await Deno.symlink("real", join(dir.path, "link"));
  const policyFor = (within: string) => {
    return `tools: { notes_list: { args: { path: { within: ${within} } } } }`;
  };
  const { tools: [held] } = await load(policyFor(join(dir.path, "link")));
  assert.equal(held!.args[0]!.constraint!.within, join(dir.path, "real"));
  const rows: readonly [string, RegExp][] = [
    ["file", /^1:40: 'within': '.*file' is not a directory\n$/],
    ["none", /^1:40: 'within': '.*none' cannot be read: No such file/],
  ];
  for (const [name, message] of rows) {
    const { problems } = await load(policyFor(join(dir.path, name)));
    assert.equal(problems.length, 1);
    assert.match(problems[0]!, message);
  }
});

Deno.test("loadPolicy() says why a file cannot be read, and leaves nothing", async () => {
  await using dir = await scratch();
  await Deno.writeFile(join(dir.path, "latin"), new Uint8Array([0x74, 0xe9]));
  const hint = "Save it with the encoding UTF-8";
  const rows: [file: string, message: string, hint?: string][] = [
    [join(dir.path, "none.yaml"), "File not found"],
    [join(dir.path, "latin"), "File is not UTF-8 text", hint],
  ];
  // Windows calls this a lack of permission
  if (Deno.build.os !== "windows") rows.push([dir.path, "Expected a file, found a directory"]);
  for (const [file, message, hint] of rows) {
    const loaded = await loadPolicy(file, tools, { environment, strict: false });
    assert.deepEqual(loaded.problems, [{ file, message, ...(hint && { hint }) }]);
    assert.deepEqual([loaded.tools, loaded.unreadable], [[], true]);
  }
});

Deno.test("loadPolicy() has nothing to say about the examples of docs", async () => {
  const pages = ["policy.md", "sandbox.md"].map((page) =>
    Deno.readTextFile(join(root, "docs", page))
  );
  const text = (await Promise.all(pages)).join("\n");
  const examples = [...text.matchAll(/^```yaml\n([^]*?)^```/gm)].map(([, yaml]) => yaml!);
  assert.equal(examples.length, 7);
  const known = (name: string) => name === "PROJECT" ? "/srv" : Deno.env.get(name);
  const { tools: git } = await loadConfigs(["git"], known);
  await using dir = await scratch();
  for (const [index, example] of examples.entries()) {
    const file = join(dir.path, `${index}.yaml`);
    await Deno.writeTextFile(file, example);
    const loaded = await loadPolicy(file, git, { environment: known, strict: true });
    // Those that only say where programs run leave nothing to run
    const warnings = /^(?:tools|default|effects|deny)/m.test(example)
      ? loaded.warnings
      : loaded.warnings.filter(({ message }) => message !== "The policy leaves no tool");
    assert.deepEqual([loaded.problems, warnings], [[], []]);
  }
});

Deno.test("loadPolicy() takes a rule for several tools to those that have its arguments", async () => {
  const { tools: left, problems } = await load(
    "tools: { '*': { max_output: 4, args: { dir: { within: . }, text: { secret: true } } } }",
  );
  assert.deepEqual(problems, []);
  assert.deepEqual(left.map(({ keepBytes }) => keepBytes), [4096, 4096, 4096, 4096]);
  const held = left.map(({ args }) =>
    args.filter(({ constraint }) => constraint).map(({ name }) => name)
  );
  assert.deepEqual(held, [["dir"], ["text"], [], ["dir"]]);
});

const noPattern = (at: string) =>
  `${at}: 'pattern': '(' is not an RE2 expression: missing closing ): \`(\`\n` +
  "  hint: Patterns are RE2 expressions, without lookaround and backreferences: " +
  "https://github.com/google/re2/wiki/Syntax\n";

const broadProblems: readonly [policy: string, problems: string][] = [
  [
    "tools: { 'effect:reed': }",
    "1:10: No tool has the effect 'reed'\n  hint: Did you mean: read\n",
  ],
  ["tools: { 'cli:note': }", "1:10: No tool is of the CLI 'note'\n  hint: Did you mean: notes\n"],
  [
    "tools: { 'category:notse': }",
    "1:10: No tool is of the category 'notse'\n  hint: Did you mean: notes\n",
  ],
  ["tools: { 'git_*': }", "1:10: No config has a tool that 'git_*' fits\n"],
  [
    "tools: { notes_add: { select: 'a[' } }",
    "1:23: Path 'a[' cannot be followed: expected '$', found 'a' ('a[':0)\n" +
    "  hint: A JSONPath (RFC 9535) begins with '$', such as $.items[*].name\n",
  ],
  // An empty path would be the directory of the server
  [
    "executor: { type: sandbox, write: [''], read: [''], hide: [''] }",
    "1:36: Item 1 of 'write': expected a path, found an empty text\n" +
    "1:48: Item 1 of 'read': expected a path, found an empty text\n" +
    "1:60: Item 1 of 'hide': expected a path, found an empty text\n",
  ],
  // Once for all tools
  [
    "tools: { '*': { args: { dir: { pattern: '(', min: 2, max: 1 } } } }",
    noPattern("1:32") +
    "1:46: 'min' is more than 'max': no value can be right\n",
  ],
  // What is misspelt would be served without its limits, or all the same
  [
    "tools: { '*': , notes_ad: { args: { text: { pattern: a } } } }",
    "1:17: No config has a tool 'notes_ad'\n  hint: Did you mean: notes_add\n",
  ],
  [
    "tools: { 'notes_*': }\ndeny: [notes_remov]",
    "2:8: No config has a tool 'notes_remov'\n  hint: Did you mean: notes_remove\n",
  ],
  [
    "tools: { 'notes_*': { args: { dri: { max: 1 } } } }",
    "1:31: No tool of 'notes_*' has an argument 'dri'\n  hint: Did you mean: dir\n",
  ],
  [
    "tools: { 'notes_*': { description: x } }",
    "1:23: 'description' belongs to one tool, and 'notes_*' may be several\n",
  ],
  [
    "tools: { 'notes_*': , '*_add': , '*es_add': }",
    "1:34: 'notes_*' and '*es_add' are equally near to tool 'notes_add'\n" +
    "  hint: Name the tool in a key of its own\n",
  ],
  [
    "tools: { 'notes_?emove': , notes_remove: , '*_remove': { args: { a: { pattern: '(' } } } }",
    noPattern("1:71"),
  ],
  [
    "tools: { notes_list: { args: { max_count: { value: many } } } }",
    "1:45: Tool 'notes_list': Argument 'max_count': cannot convert 'many' to integer\n",
  ],
];

for (const [policy, problems] of broadProblems) {
  Deno.test(`loadPolicy() says what is wrong with ${JSON.stringify(policy)}`, async () => {
    assert.equal((await load(policy)).problems.join(""), problems);
  });
}

Deno.test("loadPolicy() fixes values, requires arguments and bounds lengths", async () => {
  const { tools: left, problems } = await load(
    "tools: { notes_list: { args: { path: { required: true, max_length: 3 }, " +
      "max_count: { value: '7' } } }, diary_show: { args: { tags: { value: [a, b] } } } }",
  );
  assert.deepEqual(problems, []);
  const { tools: [add], problems: none } = await load(
    "tools: { notes_add: { args: { text: { pattern: a, pattern_words: b, min: 1, max: 1 } } } }",
  );
  assert.deepEqual([add!.args[0]!.patternWords, none], ["b", []]);
  const [path, count] = left[0]!.args;
  assert.deepEqual([path!.required, path!.constraint?.maxLength, count!.fixed], [true, 3, 7]);
  assert.deepEqual(left[1]!.args[0]!.fixed, ["a", "b"]);
});

Deno.test("loadPolicy() takes what is fixed out of a schema, and adds what is required", async () => {
  const input = (required?: string[], ...names: string[]) => ({
    type: "object" as const,
    properties: Object.fromEntries(names.map((name) => [name, {}])),
    ...(required === undefined ? {} : { required }),
    additionalProperties: false,
  });
  const tool = toolOf("t", {
    args: [argOf("a"), argOf("b")],
    input: input(["a", "c"], "a", "b", "c"),
  });
  const schemaOf = async (args: string) => {
    return (await load(`tools: { t: { args: { ${args} } } }`, [tool])).tools[0]!.input;
  };
  assert.deepEqual(
    await schemaOf("a: { value: x }, b: { required: true }"),
    input(["c", "b"], "b", "c"),
  );
  assert.deepEqual(await schemaOf("a: { secret: true }"), tool.input);
  const none = { ...tool, input: input(["a"], "a") };
  const { tools: [left] } = await load("tools: { t: { args: { a: { value: x } } } }", [none]);
  assert.deepEqual(left!.input, input(undefined));
});

Deno.test("explainDecisions() names the rule and its place", async () => {
  const text = "deny: ['notes_r*']\ntools:\n  'notes_*':\n";
  const document = await readPolicy({ file: "p.yaml", text });
  assert.ok(document.ok);
  const explained = await explainDecisions(document, tools);
  assert.deepEqual(
    explained.map(({ decision: { isServed, rule }, place: { file, line, column } }) => {
      return [isServed, rule, `${file}:${line}:${column}`];
    }),
    [
      [true, "tools.notes_*", "p.yaml:3:3"],
      [true, "tools.notes_*", "p.yaml:3:3"],
      [false, "deny", "p.yaml:1:8"],
      [false, "default: disabled", "p.yaml:1:1"],
    ],
  );
});

Deno.test("explainDecisions() names the place of the rule that asks", async () => {
  const text = "default: enabled\nconfirm: write\ntools: { notes_add: { confirm: true } }\n";
  const document = await readPolicy({ file: "p.yaml", text });
  assert.ok(document.ok);
  const explained = await explainDecisions(document, tools);
  assert.deepEqual(explained.map(({ confirm }) => confirm?.line), [2, 3, 2, 2]);
});

const demands: readonly [policy: string, consent: string[], strict: string[]][] = [
  ["default: enabled", [], []],
  ["default: enabled\nconfirm: destructive", ["notes_remove"], []],
  ["default: enabled\nconfirm: write", ["notes_add", "notes_remove", "diary_show"], []],
  [
    "default: enabled\nconfirm: write\ntools: { notes_add: { confirm: false }, notes_list: { confirm: true } }",
    ["notes_list", "notes_remove", "diary_show"],
    [],
  ],
  ["default: enabled\nunknown_args: refuse\ntools: { notes_add: { unknown_args: ignore } }", [], [
    "notes_list",
    "notes_remove",
    "diary_show",
  ]],
];

for (const [policy, consent, strict] of demands) {
  Deno.test(`loadPolicy() demands what ${JSON.stringify(policy)} says`, async () => {
    const { tools: left } = await load(policy);
    const named = (holds: (tool: Tool) => unknown) => {
      return left.filter(holds).map(({ name }) => name);
    };
    assert.deepEqual(named(({ needsConsent }) => needsConsent), consent);
    assert.deepEqual(named(({ refusesUnknown }) => refusesUnknown), strict);
  });
}

Deno.test("loadPolicy() suggests names for the first of many unknown tools only", async () => {
  const names = Array.from({ length: 20_000 }, (_, index) => `  notes_lis${index}:`);
  const text = `default: enabled\ntools:\n${names.join("\n")}\n`;
  const loaded = await loadPolicy({ file: "many.yaml", text }, tools, {
    environment,
    strict: false,
  });
  assert.equal(loaded.problems.length, 20_000);
  const suggesting = loaded.problems.filter(({ hint }) => hint?.startsWith("Did you mean"));
  assert.equal(suggesting.length, 20);
});
