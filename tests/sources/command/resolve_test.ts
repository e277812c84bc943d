import assert from "node:assert/strict";
import { lintConfig } from "../../../src/sources/command/_lint.ts";
import { resolveConfig } from "../../../src/sources/command/resolve.ts";
import type { ArgFile } from "../../../src/sources/command/arg_schema.ts";
import type { ConfigFile } from "../../../src/sources/command/schema.ts";
import type { TemplateFile } from "../../../src/sources/command/argv.ts";

const values: Readonly<Record<string, string>> = {
  HOME: "/home/ada",
  USERPROFILE: "/home/ada",
  TOOL: "/opt/my tools/run",
  NAME: "a b",
  EMPTY: "",
  YES: "True",
  ONE: "1",
  ZERO: "0",
};
const environment = (name: string) => Object.hasOwn(values, name) ? values[name] : undefined;

function resolved(config: Partial<ConfigFile>) {
  const whole = { name: "x", command: "echo", tools: [{ name: "t" }], ...config };
  const result = resolveConfig(whole, environment);
  return { ...result, warnings: [...result.warnings, ...lintConfig(whole)] };
}

const commands: readonly [base: string, sub: string | undefined, expected: string[]][] = [
  ["echo", undefined, ["echo"]],
  ["  git \t -C\n/tmp ", "log  --oneline", ["git", "-C", "/tmp", "log", "--oneline"]],
  ["git", "  ", ["git"]],
  ["", "echo hi", ["echo", "hi"]],
  ["$TOOL -v", "x", ["/opt/my tools/run", "-v", "x"]],
  ["${TOOL}/../$NAME", undefined, ["/opt/my tools/run/../a b"]],
  ["~/bin/x ~", "~/y", ["/home/ada/bin/x", "/home/ada", "~/y"]],
  ["echo", "$NAME ${NAME}", ["echo", "$NAME", "${NAME}"]],
  ["echo $EMPTY", "x", ["echo", "", "x"]],
  ["sh -c 'a b'", "*.ts; rm -rf / | x > y", [
    ...["sh", "-c", "'a", "b'", "*.ts;", "rm", "-rf", "/", "|", "x", ">", "y"],
  ]],
];

for (const [base, sub, expected] of commands) {
  const title = JSON.stringify([base, sub]);
  Deno.test(`resolveConfig() splits the command ${title} on white space`, () => {
    const tools = [{ name: "t", command: sub }];
    const { tools: [tool], problems } = resolved({ command: base, tools });
    assert.deepEqual(tool!.source.command, expected);
    assert.deepEqual(problems, []);
  });
}

const globals: readonly [arg: Partial<ArgFile>, tokens: string[]][] = [
  [{ default: "v" }, ["--a-b", "v"]],
  [{ default: "v", flag: "--g=" }, ["--g=v"]],
  [{ default: "v", positional: true }, ["v"]],
  [{ default: "$NAME" }, ["--a-b", "a b"]],
  [{ default: "<${NAME}>", flag: "--g=" }, ["--g=<a b>"]],
  [{ default: "$UNSET" }, []],
  [{ default: "$EMPTY" }, []],
  [{ default: "" }, []],
  [{}, []],
  [{ default: true, type: "boolean" }, ["--a-b"]],
  [{ default: false, type: "boolean" }, []],
  [{ default: "$YES", type: "boolean", flag: "-y" }, ["-y"]],
  [{ default: "$NAME", type: "boolean" }, []],
  [{ default: "$ONE", type: "boolean" }, ["--a-b"]],
  [{ default: "$ZERO", type: "boolean" }, []],
  [{ value: "v" }, ["--a-b", "v"]],
];

for (const [arg, tokens] of globals) {
  Deno.test(`resolveConfig() makes ${JSON.stringify(tokens)} of a global ${JSON.stringify(arg)}`, () => {
    const { tools, problems } = resolved({ global_args: [{ name: "a_b", ...arg }] });
    assert.deepEqual(tools[0]!.source.globalArgs, tokens);
    assert.deepEqual(problems, []);
  });
}

Deno.test("lintConfig() warns of a flag that is never used", () => {
  const args = [{ name: "a", flag: "-a", stdin: true }, { name: "b", flag: "-b", cwd: true }];
  const { warnings, tools } = resolved({ tools: [{ name: "t", args }] });
  assert.deepEqual(tools[0]!.args.map(({ role }) => role.kind), ["stdin", "cwd"]);
  assert.deepEqual(warnings.map(({ message }) => message), [
    "Argument 'a' is the standard input, so its flag is never used",
    "Argument 'b' is the working directory, so its flag is never used",
  ]);
});

Deno.test("resolveConfig() keeps global arguments in their order", () => {
  const global_args = [{ name: "b", default: 1 }, { name: "skipped" }, { name: "a", default: 2 }];
  const { tools } = resolved({ global_args });
  assert.deepEqual(tools[0]!.source.globalArgs, ["--b", "1", "--a", "2"]);
});

Deno.test("resolveConfig() expands the working directory", () => {
  assert.equal(resolved({ working_dir: "~/$NAME" }).tools[0]!.source.workingDir, "/home/ada/a b");
  assert.equal("workingDir" in resolved({ working_dir: "" }).tools[0]!.source, false);
});

Deno.test("resolveConfig() names each variable that is not set", () => {
  const hint = "Set it where climax is started, or write the value";
  const { problems } = resolved({ command: "$NO $NEITHER", working_dir: "$NOWHERE" });
  assert.deepEqual(problems, [
    { path: ["command"], message: "'command': variable $NO is not set", hint },
    { path: ["command"], message: "'command': variable $NEITHER is not set", hint },
    { path: ["command"], message: "'command' names no program: its variable is empty" },
    { path: ["working_dir"], message: "'working_dir': variable $NOWHERE is not set", hint },
  ]);
});

const placedRoles: readonly [argv: TemplateFile, arg: Partial<ArgFile>, role: object][] = [
  [["{a}"], {}, { kind: "placed", standsAlone: true, isShared: false }],
  [["-t={a}"], {}, { kind: "placed", standsAlone: false, isShared: false }],
  [["--", "{a}"], {}, { kind: "placed", standsAlone: false, isShared: false }],
  [[["--", "{a}"]], {}, { kind: "placed", standsAlone: false, isShared: false }],
  [[["--", "{b}"], "{a}"], {}, { kind: "placed", standsAlone: true, isShared: false }],
  [["{a}", "--", "{a}"], {}, { kind: "placed", standsAlone: true, isShared: false }],
  [["{b}{a}"], {}, { kind: "placed", standsAlone: true, isShared: true, isPart: true }],
  [["{a}x"], {}, { kind: "placed", standsAlone: true, isShared: false, isPart: true }],
  [["{b}/{a}"], {}, { kind: "placed", standsAlone: false, isShared: true }],
  [["{a}"], { flag: "-f" }, { kind: "flag", flag: "-f" }],
  [["{a}"], { type: "boolean" }, { kind: "flag", flag: "--a" }],
  [["{...}"], {}, { kind: "flag", flag: "--a" }],
  [["{...}"], { positional: true }, { kind: "positional" }],
];

for (const [argv, arg, role] of placedRoles) {
  const title = `${JSON.stringify(arg)} in ${JSON.stringify(argv)}`;
  Deno.test(`resolveConfig() gives ${title} the role ${JSON.stringify(role)}`, () => {
    const tools = [{ name: "t", argv: [...argv] as string[], args: [{ name: "a", ...arg }] }];
    assert.deepEqual(resolved({ tools }).tools[0]!.args[0]!.role, role);
  });
}

Deno.test("resolveConfig() reads values as the type of their argument", () => {
  const args: ArgFile[] = [
    { name: "a", type: "integer", default: "10", enum: ["10", 11], examples: ["11"] },
    { name: "b", default: 50 },
    { name: "c", type: "boolean", value: "True" },
    { name: "d", type: "array", items: { type: "integer", enum: ["1", "2"] }, default: ["1"] },
    { name: "e", type: "array", default: "x", required: true, max_items: 2, separator: "," },
  ];
  const [a, b, c, d, e] = resolved({ tools: [{ name: "t", args }] }).tools[0]!.args;
  assert.deepEqual([a!.default, a!.enum, a!.examples], [10, [10, 11], [11]]);
  assert.deepEqual([b!.default, c!.fixed], ["50", true]);
  assert.deepEqual([d!.default, d!.list], [[1], {
    type: "integer",
    enum: [1, 2],
    min: 0,
    max: 1000,
  }]);
  assert.deepEqual([e!.default, e!.list], [["x"], {
    type: "string",
    min: 1,
    max: 2,
    separator: ",",
  }]);
});

Deno.test("resolveConfig() knows the patterns of items that fit no comma", () => {
  const rows = [
    ["(@[a-z0-9-]+/)?[A-Za-z0-9^~<>=*.+|-]*(\\.x)?", true],
    ["[^-].*", undefined],
    ["[!-~]+", undefined],
    ["\\S+", undefined],
    ["a.b", undefined],
  ] as const;
  for (const [pattern, expected] of rows) {
    const args: ArgFile[] = [{ name: "a", type: "array", pattern }];
    const [arg] = resolved({ tools: [{ name: "t", args }] }).tools[0]!.args;
    assert.equal(arg!.list!.hasNoComma, expected, pattern);
  }
});

Deno.test("resolveConfig() gives a tool an environment, a directory and an input of its own", () => {
  const tools = [{ name: "t", env: { B: "tool" }, working_dir: "~/$NAME", stdin: "" }, {
    name: "u",
  }];
  const { tools: [own, common], problems } = resolved({
    env: { A: "1", B: "config" },
    working_dir: "/",
    tools,
  });
  assert.deepEqual(own!.source.env, { A: "1", B: "tool" });
  assert.equal(own!.source.workingDir, "/home/ada/a b");
  assert.equal(own!.source.stdin, "");
  assert.deepEqual(common!.source.env, { A: "1", B: "config" });
  assert.equal(common!.source.workingDir, "/");
  assert.equal("stdin" in common!.source, false);
  assert.deepEqual(problems, []);
});

const outputsOf: readonly [tool: Partial<ConfigFile["tools"][number]>, output: unknown][] = [
  [{}, undefined],
  [{ output: "text" }, undefined],
  [{ output: "image" }, "image"],
  [{ output: "json", select: null, csv: null }, { format: "json" }],
  [{ output: "csv", csv: { delimiter: null } }, { format: "csv" }],
  [{ output: "csv", csv: { delimiter: ";", columns: ["a"] } }, {
    format: "csv",
    csv: { delimiter: ";", columns: ["a"] },
  }],
  [{ output: "jsonl", select: "$.a" }, { format: "jsonl", select: { items: "$.a" } }],
  [{ output: "json", select: ["a", "b"] }, {
    format: "json",
    select: { columns: [{ name: "a" }, { name: "b" }] },
  }],
  [{ output: "json", select: { items: "$.a", columns: { b: "$.c" } } }, {
    format: "json",
    select: { items: "$.a", columns: [{ name: "b", path: "$.c" }] },
  }],
  [{ output: "json", select: { items: null, columns: ["b"] } }, {
    format: "json",
    select: { columns: [{ name: "b" }] },
  }],
];

for (const [tool, output] of outputsOf) {
  Deno.test(`resolveConfig() reads the output of ${JSON.stringify(tool)}`, () => {
    const { tools: [own], problems } = resolved({ tools: [{ name: "t", ...tool }] });
    assert.deepEqual([own!.source.output, problems], [output, []]);
  });
}
