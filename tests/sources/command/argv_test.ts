import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "../../_properties.ts";
import {
  buildArgv,
  type CommandLine,
  parseTemplate,
  type TemplateFile,
} from "../../../src/sources/command/argv.ts";
import { coerceArgs } from "../../../src/call/coerce.ts";
import type { Arg, ArgRole, ArgValue, ListRules } from "../../../src/tool/tool.ts";
import { fixturePath } from "../../_fixtures.ts";
import { withVariables } from "../../_io.ts";
import { answerTo, callOnly, sessionOf } from "../../_session.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { argOf, sourceOf } from "../../_tools.ts";
import { unixTest } from "../../_requirements.ts";

const positional: ArgRole = { kind: "positional" };
const source = sourceOf(["git", "log"], { globalArgs: ["--no-pager", "-x"] });

function commandLine(args: readonly Arg[], values: Readonly<Record<string, ArgValue>>) {
  return textsOf(buildArgv(source, args, new Map(Object.entries(values))));
}

/** A command line without what logs may have of it. */
function textsOf({ argv, stdin, cwd }: CommandLine) {
  return {
    argv: argv.map(({ text }) => text),
    ...(stdin === undefined ? {} : { stdin: stdin.text }),
    ...(cwd === undefined ? {} : { cwd: cwd.text }),
  };
}

Deno.test("buildArgv() places positionals before flags before global arguments", () => {
  const args = [
    argOf("b"),
    argOf("second", { role: positional }),
    argOf("a"),
    argOf("first", { role: positional }),
  ];
  const { argv } = commandLine(args, { first: "1", second: "2", a: "3", b: "4" });
  assert.deepEqual(argv, ["git", "log", "2", "1", "--b", "4", "--a", "3", "--no-pager", "-x"]);
});

Deno.test("buildArgv() leaves out globs for everything, which would take in what git ignores", () => {
  const args = [
    argOf("glob", {
      type: "array",
      list: { type: "string", min: 0, max: 9 },
      role: { kind: "flag", flag: "--glob=" },
    }),
  ];
  for (
    const [given, kept] of [
      [["**/*"], []],
      [["*", "!dist"], ["!dist"]],
      [["./**", "**"], []],
      [["*", "*.log"], ["*", "*.log"]],
      [["src/**"], ["src/**"]],
    ] as const
  ) {
    const { argv } = commandLine(args, { glob: [...given] });
    assert.deepEqual(argv.slice(2, -2), kept.map((glob) => `--glob=${glob}`));
  }
});

const flags: readonly [flag: string, value: ArgValue, tokens: string[]][] = [
  ["-m", "text", ["-m", "text"]],
  ["-m", "", ["-m", ""]],
  ["-n", 3, ["-n", "3"]],
  ["--all", true, ["--all"]],
  ["--all", false, []],
  ["--format=", "", ["--format="]],
  ["--format=", "a=b c", ["--format=a=b c"]],
];

for (const [flag, value, tokens] of flags) {
  const title = `buildArgv() makes ${JSON.stringify(tokens)} of ${flag} and ${
    JSON.stringify(value)
  }`;
  Deno.test(title, () => {
    const { argv } = commandLine([argOf("a", { role: { kind: "flag", flag } })], { a: value });
    assert.deepEqual(argv, ["git", "log", ...tokens, "--no-pager", "-x"]);
  });
}

const list: ListRules = { type: "string", min: 0, max: 9 };

const listRows: readonly [what: string, arg: Partial<Arg>, tokens: string[]][] = [
  ["one token each", { role: positional, list }, ["a", "b c"]],
  ["a flag before each", { role: { kind: "flag", flag: "-e" }, list }, ["-e", "a", "-e", "b c"]],
  ["a flag joined to each", { role: { kind: "flag", flag: "--e=" }, list }, ["--e=a", "--e=b c"]],
  [
    "one text behind the flag",
    { role: { kind: "flag", flag: "-e" }, list: { ...list, separator: "," } },
    ["-e", "a,b c"],
  ],
  ["one text", { role: positional, list: { ...list, separator: ":" } }, ["a:b c"]],
];

for (const [what, arg, tokens] of listRows) {
  Deno.test(`buildArgv() makes ${what} of a list`, () => {
    const args = [argOf("a", { type: "array", ...arg })];
    assert.deepEqual(commandLine(args, { a: ["a", "b c"] }).argv.slice(2, -2), tokens);
    assert.deepEqual(commandLine(args, { a: [] }).argv.slice(2, -2), []);
  });
}

type TemplateRow = readonly [
  template: TemplateFile,
  given: Readonly<Record<string, ArgValue>>,
  tokens: string[],
];

const templateRows: readonly TemplateRow[] = [
  [["-i", "{a}", "-t={b?}", "{c?}"], { a: "in", b: "1" }, ["-i", "in", "-t=1"]],
  [["-i", "{a}", "-t={b?}", "--", "{c?}"], { a: "in", c: "out" }, ["-i", "in", "--", "out"]],
  [["{a}x{b?}", "{c}"], { a: "1", c: "3" }, ["3"]],
  [[["-t", "{b?}"], "{a}"], { a: "x" }, ["x"]],
  [[["-t", "{b?}"], "{a}"], { a: "x", b: "y z" }, ["-t", "y z", "x"]],
  [[["-t", "{flag}"], "x"], { flag: false }, ["x"]],
  [[["-t", "{flag}"], "x"], { flag: true }, ["-t", "--yes", "x"]],
  [["{list}", "end"], { list: ["1", "2"] }, ["1", "2", "end"]],
  [[["--", "{list?}"]], { list: [] }, []],
  [["{joined}{a}"], { joined: ["1", "2"], a: "x" }, ["1,2x"]],
  [["{word}", "x"], { word: "w" }, ["-w", "w", "x"]],
  [["a", "{...}", "b"], { a: "1", list: ["2", "3"], flag: true, word: "w" }, [
    ...["a", "1", "2", "3", "--yes", "-w", "w", "b"],
  ]],
  [["{...}", "{a}"], { a: "1", flag: true }, ["--yes", "1"]],
  [["--format={{json .}}", "{{.Names}}", "{}", "{ a }"], {}, [
    "--format={{json .}}",
    "{{.Names}}",
    "{}",
    "{ a }",
  ]],
  [["{a}"], { a: "{b}" }, ["{b}"]],
  [["", "{a}"], { a: "" }, ["", ""]],
  [[["--", "{list?}"]], { list: ["--", "-t", "--"] }, ["--", "-t", "--"]],
  [[["--", "{list?}"]], { list: ["--"] }, ["--", "--"]],
];

const templateArgs: readonly Arg[] = [
  argOf("a", { role: positional }),
  argOf("b", { role: positional }),
  argOf("c", { role: positional }),
  argOf("list", { type: "array", role: positional, list }),
  argOf("joined", { type: "array", role: positional, list: { ...list, separator: "," } }),
  argOf("flag", { type: "boolean", role: { kind: "flag", flag: "--yes" } }),
  argOf("word", { role: { kind: "flag", flag: "-w" } }),
];

for (const [written, given, tokens] of templateRows) {
  const title = `${JSON.stringify(written)} and ${JSON.stringify(given)}`;
  Deno.test(`buildArgv() makes ${JSON.stringify(tokens)} of the template ${title}`, () => {
    const template = parseTemplate(written);
    const values = new Map(Object.entries(given));
    const line = buildArgv(sourceOf(["x"], { template, globalArgs: ["-g"] }), templateArgs, values);
    // Behind `--` it would be no option
    const end = tokens.includes("--") ? tokens.indexOf("--") : tokens.length;
    assert.deepEqual(textsOf(line).argv, ["x", ...tokens.toSpliced(end, 0, "-g")]);
  });
}

Deno.test("buildArgv() masks a secret wherever a template has it", () => {
  const args = [argOf("a", { role: positional, constraint: { secret: true } })];
  const template = parseTemplate(["--key={a}", "{a}", "{a}-{a}"]);
  const { argv } = buildArgv(sourceOf(["x"], { template }), args, new Map([["a", "s3cret"]]));
  assert.deepEqual(argv.map(({ shown }) => shown), ["x", "--key=***", "***", "***-***"]);
});

/** What shells, option parsers and splitters look at. */
const special = fc.array(fc.constantFrom(..." \t\r\n-='\"`$\\*~;|&%#!a\u0085\u2028é"), {
  maxLength: 6,
  size: "max",
}).map((characters) => characters.join(""));

/** Any text that can be handed to a program: no NUL, no lone surrogate. */
const passable = fc.oneof(
  special,
  fc.string({ unit: "binary" }),
  fc.string({ unit: "grapheme" }),
  fc.constantFrom("", "--", "-x", "$(id)", "`id`", "--flag=", "; rm -rf /", "\u202e", "\ufeff"),
).map((text) => text.replaceAll("\0", ""));

const role: fc.Arbitrary<ArgRole> = fc.oneof(
  fc.constant<ArgRole>({ kind: "positional" }),
  fc.constantFrom("-f", "--flag", "--flag=", "f").map((flag): ArgRole => ({ kind: "flag", flag })),
  fc.constant<ArgRole>({ kind: "stdin" }),
  fc.constant<ArgRole>({ kind: "cwd" }),
);

/** An argument of any role and type, and a raw value that fits it. */
const definition: fc.Arbitrary<{ arg: Omit<Arg, "name">; raw: unknown }> = fc.oneof(
  fc.record({ role, type: fc.constant("string" as const), raw: passable }),
  fc.record({ role, type: fc.constant("integer" as const), raw: fc.maxSafeInteger() }),
  fc.record({
    role,
    type: fc.constant("number" as const),
    raw: fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => {
      return !Number.isInteger(value) || Number.isSafeInteger(value);
    }),
  }),
  fc.record({
    role: fc.constantFrom<ArgRole>({ kind: "flag", flag: "-b" }, { kind: "flag", flag: "--bool" }),
    type: fc.constant("boolean" as const),
    raw: fc.boolean(),
  }),
).map(({ role, type, raw }) => ({ arg: { description: "", type, required: true, role }, raw }));

Deno.test("buildArgv(): no value changes the number or the order of the tokens around it", () => {
  fc.assert(
    fc.property(fc.array(definition, { maxLength: 8, size: "max" }), (definitions) => {
      const args = definitions.map(({ arg }, index): Arg => ({ name: `a${index}`, ...arg }));
      const given = Object.fromEntries(definitions.map(({ raw }, index) => [`a${index}`, raw]));
      const coercion = coerceArgs({ args }, given);
      assert.equal(coercion.ok, true);
      if (!coercion.ok) return;
      const { argv } = textsOf(buildArgv(source, args, coercion.values));

      // The same command line with a mark for each value shows where every value must stand
      const marks = new Map<string, ArgValue>();
      const texts = new Map<string, string>();
      for (const [name, value] of coercion.values) {
        const mark = `\0${name}\0`;
        marks.set(name, typeof value === "boolean" ? value : mark);
        texts.set(mark, String(value));
      }
      const { argv: marked } = textsOf(buildArgv(source, args, marks));
      const expected = marked.map((token) => token.replace(/\0a\d+\0/, (mark) => texts.get(mark)!));
      assert.deepEqual(argv, expected);
    }),
    { numRuns: 1000 },
  );
});

unixTest("a value arrives at the program byte for byte", async () => {
  const tool = {
    command: "before",
    args: [
      { name: "one", positional: true, text: "any" },
      { name: "joined", flag: "--joined=", text: "any" },
      { name: "two", positional: true, text: "any" },
      { name: "flag", flag: "-f", text: "any" },
    ],
  };
  const value = passable.filter((text) => text === "-" || !text.startsWith("-"));
  // Filled in after the command is split: the path of a clone may have blanks
  using _set = withVariables({ PRINT_ARGV: fixturePath("bin", "print_argv") });
  const config = { command: "$PRINT_ARGV", tool };
  await fc.assert(
    fc.asyncProperty(value, value, passable, passable, async (one, two, joined, flag) => {
      const { text, isError } = await callOnly(config, { one, two, joined, flag });
      const tokens = ["before", one, two, `--joined=${joined}`, "-f", flag];
      assert.deepEqual(text.split("\n"), tokens.map((token) => `${hex(token)}.`));
      assert.equal(isError, false);
    }),
    { numRuns: 30 },
  );
});

unixTest("an input arrives at the program byte for byte", async () => {
  const tool = { args: [{ name: "text", stdin: true, text: "any" }] };
  await fc.assert(
    fc.asyncProperty(passable, async (input) => {
      const { text } = await callOnly({ command: "od -An -v -tx1", tool }, { text: input });
      const expected = input === "" ? "(no output)" : hex(input);
      assert.equal(text === "(no output)" ? text : text.replace(/\s/g, ""), expected);
    }),
    { numRuns: 20 },
  );
});

unixTest("a program that is started elsewhere is told of the directory of the call", async () => {
  const directory = await Deno.realPath(await Deno.makeTempDir());
  await Deno.mkdir(join(directory, "below"));
  const tool = {
    start_in: "/",
    argv: ["-c", 'pwd; echo "$0"', "{place}/file"],
    args: [{ name: "place", cwd: true, default: ".", within: "." }],
  };
  const config = { command: "sh", tool: { ...tool, working_dir: directory } };
  const { text } = await callOnly(config, { place: "x/../below" });
  assert.equal(text, `/\n${directory}/below/file`);
  assert.equal((await callOnly(config, {})).text, `/\n${directory}/file`);
  assert.match((await callOnly(config, { place: ".." })).text, /lies outside/);
  // Absolute as well where no directory is configured
  assert.equal((await callOnly({ command: "sh", tool }, {})).text, `/\n${Deno.cwd()}/file`);
  await Deno.remove(directory, { recursive: true });
});

unixTest("a policy holds paths as a program sees them that is started elsewhere", async () => {
  await using dir = await scratch();
  await Deno.mkdir(join(dir.path, "etc"));
  await Deno.writeTextFile(join(dir.path, "etc", "passwd"), "ours\n");
  const policy = join(dir.path, "policy.yaml");
  await Deno.writeTextFile(
    policy,
    JSON.stringify({ tools: { show: { args: { file: { within: dir.path } } } } }),
  );
  const args = [{ name: "place", cwd: true, default: "." }, { name: "file", required: true }];
  const tool = {
    name: "show",
    command: "cat",
    start_in: "/",
    working_dir: dir.path,
    argv: ["{place}/etc/passwd", "{file}"],
    args,
  };
  await using session = await sessionOf({ tools: [tool] }, { policy });
  const show = (file: string) => answerTo(session, { tool: "show", args: { file } });
  const refused = await show("etc/passwd");
  assert.match(refused.text, /^Policy validation failed:\n.*'etc\/passwd' lies outside/);
  assert.equal((await show(join(dir.path, "etc", "passwd"))).text, "ours\nours");
});

function hex(text: string): string {
  return new TextEncoder().encode(text).toHex();
}

Deno.test("buildArgv() omits a list without a value of its condition, which is no word", () => {
  const template = parseTemplate(["{...}", "--", ["-x", "{?all}"], ["-y", "{?name}"]]);
  const args = [
    argOf("all", { type: "boolean", role: { kind: "flag", flag: "--all" } }),
    argOf("name"),
  ];
  const line = (values: Readonly<Record<string, ArgValue>>) => {
    const own = sourceOf(["x"], { template });
    return textsOf(buildArgv(own, args, new Map(Object.entries(values)))).argv;
  };
  assert.deepEqual(line({}), ["x", "--"]);
  assert.deepEqual(line({ all: true }), ["x", "--all", "--", "-x"]);
  assert.deepEqual(line({ all: false, name: "n" }), ["x", "--name", "n", "--", "-y"]);
});

Deno.test("buildArgv() tells words of the config from those with a value of the agent", () => {
  const placed: ArgRole = { kind: "placed", standsAlone: true, isShared: true };
  const args = [argOf("own", { role: placed }), argOf("set", { fixed: "x", role: placed })];
  const template = parseTemplate(["{set}", "{own}", "{own}{set}", "{set}{own}", "-{set}", "set"]);
  const given = new Map([["own", "o"], ["set", "x"]]);
  const { argv } = buildArgv(sourceOf(["git"], { template }), args, given);
  assert.deepEqual(
    argv.map(({ text, isFixed = false }) => [text, isFixed]),
    [
      ["git", false],
      ["x", true],
      ["o", false],
      ["ox", false],
      ["xo", false],
      ["-x", false],
      ["set", false],
    ],
  );
});
