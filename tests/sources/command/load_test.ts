/** Loading: files to tools, or every problem of every file at once. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { loadConfigs } from "../../../src/sources/command/load.ts";
import { formatProblem, type Problem } from "../../../src/errors.ts";
import { fixtureNames, fixturePath, root } from "../../_fixtures.ts";
import { argOf } from "../../_tools.ts";
import { scratch } from "../../e2e/_scratch.ts";

/** The only variable that is set is an empty one. */
const environment = (name: string) => name === "CLIMAX_TEST_EMPTY" ? "" : undefined;

for (const name of fixtureNames("invalid", ".yaml")) {
  Deno.test(`loadConfigs() locates every problem of invalid/${name}`, async () => {
    const file = fixturePath("invalid", name);
    const expected = await Deno.readTextFile(file.replace(/\.yaml$/, ".txt"));
    const { problems, unreadable } = await loadConfigs([file], environment);
    assert.equal(problems.map((problem) => withoutFile(problem, file)).join(""), expected);
    assert.notEqual(expected, "");
    assert.equal(unreadable, false);
  });
}

for (const name of fixtureNames("valid", ".yaml")) {
  Deno.test(`loadConfigs() has nothing to say about valid/${name}`, async () => {
    const loaded = await loadConfigs([fixturePath("valid", name)], environment);
    assert.deepEqual(loaded.problems.map(formatProblem), []);
    assert.deepEqual(loaded.warnings.map(formatProblem), []);
  });
}

const flagRole = (flag: string) => ({ kind: "flag", flag }) as const;

Deno.test("loadConfigs() reads every key of a config", async () => {
  const { tools } = await loadConfigs([fixturePath("valid", "everything.yaml")], environment);
  const cli = {
    name: "everything",
    description: "A config with every key",
    category: "demo",
    tags: ["one", "two"],
  };
  const source = {
    kind: "command",
    isForeign: true,
    env: { GREETING: "hello", NUMBER: "1" },
    workingDir: "/tmp",
    globalArgs: ["--colour=never"],
  };
  assert.deepEqual(tools, [
    {
      name: "everything_run",
      description: "Runs it all",
      owner: cli,
      args: [
        argOf("path", {
          description: "Where to",
          required: true,
          role: { kind: "positional" },
          text: "line",
        }),
        argOf("count", { type: "integer", default: 3, enum: [1, 3], role: flagRole("-n") }),
        argOf("ratio", { type: "number", default: 0.5, role: flagRole("--ratio=") }),
        argOf("dry_run", { type: "boolean", default: false, role: flagRole("--dry-run") }),
        argOf("place", { role: { kind: "cwd" }, text: "line" }),
        argOf("text", { role: { kind: "stdin" }, text: "multiline" }),
      ],
      timeoutMs: 500,
      source: { ...source, command: ["printf", "%s\\n", "sub", "command"] },
    },
    {
      name: "everything_defaults",
      description: "",
      owner: cli,
      args: [],
      timeoutMs: 30_000,
      source: { ...source, command: ["printf", "%s\\n"] },
    },
  ]);
});

Deno.test("loadConfigs() reports the problems of all files, files in the order named", async () => {
  const files = ["top_level_list.yaml", "timeout_zero.yaml"].map((name) => {
    return fixturePath("invalid", name);
  });
  const { problems, tools } = await loadConfigs(
    [files[0]!, "gti", files[1]!, fixturePath("valid", "json.yaml")],
    environment,
  );
  assert.deepEqual(problems.map(({ file, message }) => [file, message]), [
    [undefined, "Unknown config 'gti'"],
    [files[0], "The document: expected a map, found a list"],
    [files[1], "'timeout': expected more than 0 seconds"],
  ]);
  assert.deepEqual(tools.map((tool) => tool.name), ["json_run"]);
});

Deno.test("loadConfigs() merges configs: the last definition of a name wins, with a warning", async () => {
  await using dir = await scratch({
    "first.yaml": "name: a\ncommand: echo\ntools: [{name: x, description: old}, {name: y}]\n",
    "second.yaml": "name: b\ncommand: cat\ntools: [{name: z}, {name: x, description: new}]\n",
  });
  const [first, second] = [join(dir.path, "first.yaml"), join(dir.path, "second.yaml")];
  const { tools, problems, warnings } = await loadConfigs([first, second], environment);
  assert.deepEqual(problems, []);
  assert.deepEqual(
    tools.map(({ name, description, owner: cli }) => [name, description, cli.name]),
    [["x", "new", "b"], ["y", "", "a"], ["z", "", "b"]],
  );
  assert.deepEqual(warnings, [{
    file: second,
    line: 3,
    column: 21,
    message: "Tool 'x' is defined again; this one is used",
    hint: `Not used: the one at ${first}:3:10`,
  }]);
});

Deno.test("loadConfigs() warns once of a config that stands for another, and of its sandboxes", async () => {
  await using dir = await scratch();
  const copy = join(dir.path, "copy.yaml");
  const text = await Deno.readTextFile(join(root, "configs", "git.yaml"));
  await Deno.writeTextFile(copy, text);
  const { tools, warnings } = await loadConfigs(["git", copy], environment);
  const counted = /^Tool 'git_status' and (\d+) other tools are defined again; these are used$/;
  const [, others] = counted.exec(warnings[1]!.message) ?? assert.fail(warnings[1]!.message);
  assert.equal(Number(others), tools.length - 1);
  assert.match(warnings[1]!.hint!, /^Not used: the one at bundled:git:\d+:\d+$/);
  assert.equal(warnings[0]!.message, "'sandbox' counts only in configs that come with climax");
  assert.equal(warnings.length, 2);
});

Deno.test("loadConfigs() warns of what is legal but probably not meant", async () => {
  const yaml = [
    "name: x",
    "command: echo",
    "tools:",
    "  - name: with space",
    "    args:",
    "      - name: a",
    "        required: true",
    "        default: never used",
    `  - name: ${"long".repeat(17)}`,
    "  - name: a.b",
    "    args:",
    "      - name: a b",
    "      - name: a.b",
  ];
  await using dir = await scratch({ "doubtful.yaml": yaml.join("\n") });
  const file = join(dir.path, "doubtful.yaml");
  const { problems, warnings, tools } = await loadConfigs([file], environment);
  assert.deepEqual(problems, []);
  assert.equal(tools.length, 3);
  const hint = "  hint: Names of 1 to 64 letters, digits, '_' and '-' work everywhere";
  const argHint = "  hint: Names of 1 to 64 letters, digits, '_', '-' and '.' work everywhere";
  assert.deepEqual(warnings.map(formatProblem), [
    `${file}:4:5: Tool name 'with space' is refused by some clients and models\n${hint}`,
    `${file}:8:9: Argument 'a' is required, so its default is never used`,
    `${file}:9:5: Tool name '${"long".repeat(17)}' is refused by some clients and models\n${hint}`,
    `${file}:10:5: Tool name 'a.b' is refused by some clients and models\n${hint}`,
    `${file}:12:9: Argument name 'a b' is refused by some models\n${argHint}`,
  ]);
});

Deno.test("loadConfigs() answers a file of any depth without running out of stack", async () => {
  await using dir = await scratch();
  const shapes: readonly [name: string, text: string][] = [
    ["flow", `name: ${"[".repeat(20_000)}${"]".repeat(20_000)}`],
    ["open flow", `name: ${"[".repeat(20_000)}`],
    ["block", Array.from({ length: 3_000 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n")],
    ["braces", `name: ${"{a: ".repeat(20_000)}${"}".repeat(20_000)}`],
  ];
  for (const [name, text] of shapes) {
    const file = join(dir.path, `${name}.yaml`);
    await Deno.writeTextFile(file, text);
    const { problems } = await loadConfigs([file], environment);
    assert.equal(problems.length > 0, true, name);
    for (const { message, line } of problems) {
      assert.doesNotMatch(message, /stack/i, name);
      assert.equal(typeof line, "number", name);
    }
  }
});

/** The problem as the `.txt` beside a fixture has it: every file is named, and none there. */
function withoutFile({ file, ...problem }: Problem, expectedFile: string): string {
  assert.equal(file, expectedFile);
  return `${formatProblem({ ...problem, file: "F" }).replace("F:", "")}\n`;
}

const noShell = "  hint: No shell reads it; for a pipe or a redirection, name a script of your own";

const doubtful: readonly [what: string, yaml: string, said: string][] = [
  ["a pipe", "command: ps aux | grep x", `F:6:5: '|' reaches the program as it is\n${noShell}`],
  ["a redirection", "command: ls > out", `F:6:5: '>' reaches the program as it is\n${noShell}`],
  [
    "quotes",
    `command: log --format='%h %s'`,
    "F:6:5: '--format='%h' reaches the program as it is\n" +
    "  hint: Words are split at white space only: put a text with spaces in 'argv'",
  ],
  [
    "a variable",
    "command: ls $HOME/x",
    "F:6:5: '$HOME/x' reaches the program as it is\n" +
    "  hint: Variables are filled in in the config's own 'command' only",
  ],
  [
    "a flag of two words",
    "args: [{ name: a, flag: -o json }]",
    "F:6:23: Flag '-o json' reaches the program as one word, white space included\n" +
    "  hint: Fixed words belong in 'command' or in 'argv'",
  ],
];

/** The warnings of a config with one tool, of which `line` is the third. */
async function warningsOf(line: string, thorough: boolean): Promise<string[]> {
  const head = "name: x\ndescription: X\ncommand: tool\ntools:\n  - { name: t }\n";
  const tool = `  - name: t\n    description: T\n    ${line}\n`;
  const text = line === "" ? head : head.replace("  - { name: t }\n", tool).replace(
    "    description: T\n",
    "",
  );
  await using dir = await scratch({ "doubtful.yaml": text });
  const file = join(dir.path, "doubtful.yaml");
  const { warnings, problems } = await loadConfigs([file], environment, { thorough });
  assert.deepEqual(problems, []);
  return warnings.map((each) => formatProblem({ ...each, file: "F" }));
}

for (const [what, line, said] of doubtful) {
  Deno.test(`loadConfigs() warns of ${what}`, async () => {
    assert.deepEqual(await warningsOf(line, false), [said]);
  });
}

for (
  const line of [
    "command: log --format={{.Names}}",
    "command: a-b c.d=e:f",
    "args: [{ name: a, flag: dev }]",
  ]
) {
  Deno.test(`loadConfigs() has no doubt about '${line}'`, async () => {
    assert.deepEqual(await warningsOf(line, false), []);
  });
}

Deno.test("loadConfigs() gives advice where it is thorough", async () => {
  assert.deepEqual(await warningsOf("", true), [
    "F:5:7: Tool 't' has no description: agents find and choose tools by it",
  ]);
});

Deno.test("loadConfigs() gives advice on a config without a description", async () => {
  await using dir = await scratch();
  const file = join(dir.path, "advice.yaml");
  const said = async (yaml: string) => {
    await Deno.writeTextFile(file, yaml);
    const { warnings } = await loadConfigs([file], environment, { thorough: true });
    return warnings.map((each) => formatProblem({ ...each, file: "F" }));
  };
  assert.deepEqual(await said("name: x\ncommand: echo\ntools: []\n"), [
    "F:1:1: The config has no 'description': agents see what a program is for",
  ]);
});

Deno.test("loadConfigs() refuses a file that is not UTF-8", async () => {
  await using dir = await scratch();
  const file = join(dir.path, "latin1.yaml");
  await Deno.writeFile(
    file,
    new Uint8Array([...new TextEncoder().encode("name: caf"), 0xe9, 0x0a]),
  );
  const { problems, unreadable } = await loadConfigs([file], environment);
  const hint = "Save it with the encoding UTF-8";
  assert.deepEqual(problems, [{ file, message: "File is not UTF-8 text", hint }]);
  assert.equal(unreadable, true);
});

Deno.test("loadConfigs() takes a key without a value for a key that is not there", async () => {
  const { tools } = await loadConfigs([fixturePath("valid", "nulls.yaml")], environment);
  const common = {
    description: "",
    owner: { name: "nulls", description: "", tags: [] },
    timeoutMs: 30_000,
    source: { kind: "command", isForeign: true, command: ["echo"], env: {}, globalArgs: [] },
  };
  const arg = argOf("a", { text: "line" });
  assert.deepEqual(tools, [
    { name: "nulls_run", args: [], ...common },
    { name: "nulls_arg", args: [arg], ...common },
  ]);
});
