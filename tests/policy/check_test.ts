/** What a policy, and the rule on dashes, have against values. */

import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "../_properties.ts";
import { buildArgv } from "../../src/sources/command/argv.ts";
import { commandRunner } from "../../src/sources/command/runner.ts";
import { coerceArgs } from "../../src/call/coerce.ts";
import {
  checkConstraints,
  checkDefaults,
  checkLeadingDashes,
  demandsOn,
} from "../../src/policy/check.ts";
import { compilePattern } from "../../src/policy/pattern.ts";
import type { Arg, ArgRole, ArgValue, Constraint, Pattern } from "../../src/tool/tool.ts";
import { scratch } from "../e2e/_scratch.ts";
import { argOf, sourceOf, toolOf } from "../_tools.ts";

function pattern(source: string): Pattern {
  const compiled = compilePattern(source);
  assert.ok("matches" in compiled);
  return compiled;
}

async function refusalsOf(value: ArgValue, constraint: Constraint): Promise<[string, string][]> {
  const args = [argOf("x", { constraint })];
  const refusals = await checkConstraints(args, new Map([["x", value]]), {});
  return refusals.map(({ text, rule }) => [rule, text]);
}

const mismatch = (value: string, source: string): [string, string] => [
  "pattern",
  `Argument 'x': value '${value}' does not match pattern '${source}'`,
];
const undecided = (value: string, bound: string, rule: string): [string, string] => [
  rule,
  `Argument 'x': value '${value}' is not a number, so ${bound} cannot be checked`,
];

const constraintRows: readonly [
  value: ArgValue,
  constraint: Constraint,
  refusals: readonly [string, string][],
][] = [
  ["abc", { pattern: pattern("^[a-z]+$") }, []],
  ["INVALID123", { pattern: pattern("^[a-z]+$") }, [mismatch("INVALID123", "^[a-z]+$")]],
  ["", { pattern: pattern("(?s)[^:].*") }, [mismatch("", "(?s)[^:].*")]],
  ["abc\n", { pattern: pattern("^[a-z]+$") }, [mismatch("abc\n", "^[a-z]+$")]],
  // The text of any type
  [12, { pattern: pattern("1.") }, []],
  [1e21, { pattern: pattern("[0-9]+") }, [mismatch("1e+21", "[0-9]+")]],
  [false, { pattern: pattern("true") }, [mismatch("false", "true")]],
  // Each item of a list as if it stood alone
  [["abc", "A1", "x", "2"], { pattern: pattern("[a-z]+") }, [
    mismatch("A1", "[a-z]+"),
    mismatch("2", "[a-z]+"),
  ]],
  [[1, 7], { max: 5 }, [["max", "Argument 'x': value '7' is greater than maximum 5"]]],
  [["a", null], { pattern: pattern(".*") }, [
    ["single value", "Argument 'x': 'null' is not a single value, so it cannot be checked"],
  ]],
  [{ a: 1 }, { pattern: pattern(".*") }, [
    ["single value", `Argument 'x': '{"a":1}' is not a single value, so it cannot be checked`],
  ]],
  [[["a"]], { secret: true }, []],
  // Characters, not code units
  ["abc", { maxLength: 3 }, []],
  ["abcd", { maxLength: 3 }, [
    ["max_length", "Argument 'x': value 'abcd' is longer than 3 characters"],
  ]],
  ["😀😀", { maxLength: 2 }, []],
  [1234, { maxLength: 4 }, []],
  // Bounds, which are inside
  [1, { min: 1, max: 100 }, []],
  [100, { min: 1, max: 100 }, []],
  [0, { min: 1, max: 100 }, [["min", "Argument 'x': value '0' is less than minimum 1"]]],
  [101, { min: 1, max: 100 }, [["max", "Argument 'x': value '101' is greater than maximum 100"]]],
  [0.30000000000000004, { max: 0.3 }, [
    ["max", "Argument 'x': value '0.30000000000000004' is greater than maximum 0.3"],
  ]],
  [-0, { min: 0, max: 0 }, []],
  // What cannot be decided is refused
  ["5", { min: 1 }, [undecided("5", "minimum 1", "min")]],
  ["5", { max: 9 }, [undecided("5", "maximum 9", "max")]],
  [true, { max: 1 }, [undecided("true", "maximum 1", "max")]],
  [NaN, { min: 0 }, [["min", "Argument 'x': value 'NaN' is less than minimum 0"]]],
  [NaN, { max: 0 }, [["max", "Argument 'x': value 'NaN' is greater than maximum 0"]]],
  // Everything that is wrong
  [200, { pattern: pattern("1.*"), max: 100 }, [
    mismatch("200", "1.*"),
    ["max", "Argument 'x': value '200' is greater than maximum 100"],
  ]],
];

for (const [value, constraint, expected] of constraintRows) {
  const says = expected.length === 0 ? "lets through" : `has ${expected.length} against`;
  const of = JSON.stringify({ ...constraint, pattern: constraint.pattern?.source });
  Deno.test(`checkConstraints() ${says} ${JSON.stringify(value)} under ${of}`, async () => {
    assert.deepEqual(await refusalsOf(value, constraint), expected);
  });
}

Deno.test("checkConstraints() holds a path against the directory of the call", async () => {
  await using dir = await scratch();
  const inside = join(dir.path, "inside");
  await Deno.mkdir(join(inside, "sub"), { recursive: true });
  const path = argOf("path", { constraint: { within: inside } });
  const place = argOf("dir", { role: { kind: "cwd" }, constraint: { within: inside } });
  const outside = `lies outside '${inside}'`;
  const rows: readonly [value: string, cwd: string | undefined, refusal: string | undefined][] = [
    ["a", inside, undefined],
    ["a", join(inside, "sub"), undefined],
    ["..", join(inside, "sub"), undefined],
    ["..", inside, `Argument 'path': '..' ${outside}`],
    ["a", dir.path, `Argument 'path': 'a' ${outside}`],
    ["inside/a", dir.path, undefined],
    ["../../etc/passwd", inside, `Argument 'path': '../../etc/passwd' ${outside}`],
    [inside, "/", undefined],
    [`${inside}x`, undefined, `Argument 'path': '${inside}x' ${outside}`],
    ["a", undefined, `Argument 'path': 'a' ${outside}`],
  ];
  for (const [value, cwd, refusal] of rows) {
    const refusals = await checkConstraints([path], new Map([["path", value]]), { directory: cwd });
    assert.deepEqual(refusals.map(({ text }) => text), refusal === undefined ? [] : [refusal]);
  }
  const items = new Map([["path", ["a", "..", "/etc"]]]);
  assert.deepEqual(
    (await checkConstraints([path], items, { directory: inside })).map(({ text }) => text),
    [`Argument 'path': '..' ${outside}`, `Argument 'path': '/etc' ${outside}`],
  );
  const shared = argOf("path", {
    role: { kind: "placed", standsAlone: true, isShared: true },
    constraint: { within: inside },
  });
  assert.deepEqual(
    (await checkConstraints([shared], new Map([["path", "a"]]), { directory: inside })).map((
      { text },
    ) => text),
    [`Argument 'path': 'a' is joined with another value, so it may lie outside '${inside}'`],
  );
  const alone = { ...shared, role: { ...shared.role, isShared: false } as ArgRole };
  assert.deepEqual(
    await checkConstraints([alone], new Map([["path", "a"]]), { directory: inside }),
    [],
  );
  // The directory itself: the value as it was asked for is quoted, where it leads is held
  const values = new Map([["dir", ".."]]);
  assert.deepEqual(
    await checkConstraints([place], values, { directory: join(inside, "sub", "..") }),
    [],
  );
  assert.equal((await checkConstraints([place], values, {})).length, 1);
  const [refusal] = await checkConstraints([place], values, { directory: dir.path });
  assert.deepEqual(refusal, {
    arg: "dir",
    text: `Argument 'dir': '..' ${outside}`,
    rule: "within",
  });
});

Deno.test("checkConstraints() refuses a path that cannot be resolved, and says why", async () => {
  await using dir = await scratch();
  const path = argOf("path", { constraint: { within: dir.path } });
  const rows: readonly (readonly [value: string, cwd: string, text: RegExp])[] = [
    ["", dir.path, /^Argument 'path': '' cannot be resolved, so it may lie outside '.*': .*empty$/],
    ["a", join(dir.path, "none"), /cannot be resolved, so it may lie outside/],
    // Windows shortens paths first
    ...Deno.build.os === "windows" ? [] : [
      ["none/../a", dir.path, /: it goes up from what does not exist$/] as const,
    ],
  ];
  for (const [value, cwd, text] of rows) {
    const [refusal] = await checkConstraints([path], new Map([["path", value]]), {
      directory: cwd,
    });
    assert.match(refusal?.text ?? "", text);
  }
});

const positional: ArgRole = { kind: "positional" };
const placed = (standsAlone: boolean, isPart = false): ArgRole => {
  return { kind: "placed", standsAlone, isShared: false, isPart };
};

const dashRows: readonly [what: string, arg: Partial<Arg>, value: ArgValue, refused: boolean][] = [
  ["one dash and a letter", { role: positional }, "-x", true],
  ["two dashes", { role: positional }, "--", true],
  ["a dash and a line feed", { role: positional }, "-\n", true],
  ["a dash alone", { role: positional }, "-", false],
  ["an empty text", { role: positional }, "", false],
  ["white space before a dash", { role: positional }, " -x", false],
  ["a dash that is no ASCII", { role: positional }, "−x", false],
  ["a negative number", { role: positional, type: "integer" }, -5, false],
  ["what is allowed", { role: positional, constraint: { allowLeadingDash: true } }, "-x", false],
  ["a value of an option", { role: { kind: "flag", flag: "-m" } }, "-x", false],
  ["a value joined to a word", { role: { kind: "flag", flag: "if=" } }, "-x", false],
  ["a value behind --", { role: { kind: "flag", flag: "--" } }, "-x", false],
  ["a value behind a word", { role: { kind: "flag", flag: "dev" } }, "-x", true],
  ["a value behind -", { role: { kind: "flag", flag: "-" } }, "-x", true],
  ["the first of a list", { role: positional, type: "array" }, ["-x", "a"], true],
  ["a later item of a list", { role: positional, type: "array" }, ["a", "-", "-x"], true],
  ["numbers in a list", { role: positional, type: "array" }, [-1, "a"], false],
  ["items of a repeated option", { role: { kind: "flag", flag: "-e" } }, ["-x"], false],
  ["a fixed value", { role: positional, fixed: "-x" }, "-x", false],
  ["a place of its own", { role: placed(true) }, "-x", true],
  ["a place within a word", { role: placed(false) }, "-x", false],
  ["a dash that begins a longer word", { role: placed(true, true) }, "-", true],
  ["a number that begins a longer word", { role: placed(true, true) }, -1, true],
  ["an input", { role: { kind: "stdin" } }, "-x", false],
];

Deno.test("checkLeadingDashes() reads the word that a list is joined to", () => {
  const list = { type: "string", min: 0, max: 9, separator: "," } as const;
  const arg = argOf("x", { role: positional, type: "array", list });
  const refusals = [["-", "n"], ["n", "-"], ["-"]].map((value) => {
    return checkLeadingDashes([arg], new Map([["x", value]])).length;
  });
  assert.deepEqual(refusals, [1, 0, 0]);
});

for (const [what, rest, value, refused] of dashRows) {
  Deno.test(`checkLeadingDashes() ${refused ? "refuses" : "lets through"} ${what}`, () => {
    const item = Array.isArray(value) ? "-x" : value;
    const text = `Argument 'x': '${item}' begins with '-' and would be read as an option; ` +
      "a policy can allow it with 'allow_leading_dash: true'";
    assert.deepEqual(
      checkLeadingDashes([argOf("x", rest)], new Map([["x", value]])),
      refused ? [{ arg: "x", text, rule: "leading dash" }] : [],
    );
  });
}

/** Anything an agent can send, leaning towards dashes. */
const anyGiven = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string().map((text) => `-${text}`),
  fc.string().map((text) => `--${text}`),
  fc.constantFrom("-", "--", "-1", "-1e9", "-Infinity", "−1", "", "\u00ad-x", "\ufeff-x"),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.constantFrom("-x")),
  fc.record({ toString: fc.constant("-x") }),
);

const anyRole: fc.Arbitrary<ArgRole> = fc.oneof(
  fc.constant<ArgRole>({ kind: "positional" }),
  fc.constantFrom("-f", "--flag", "--flag=", "-f=", "x=", "word", "-", "+x")
    .map((flag): ArgRole => ({ kind: "flag", flag })),
  fc.constantFrom<ArgRole>({ kind: "stdin" }, { kind: "cwd" }),
);

const anyArg = fc.record({
  type: fc.constantFrom("string", "integer", "number", "boolean" as const),
  role: anyRole,
  required: fc.boolean(),
  value: fc.oneof(fc.constantFrom("-x", "--y=z", "a", "-"), fc.integer()),
  holds: fc.constantFrom("default", "enum", "both", "neither" as const),
  given: fc.option(anyGiven, { nil: undefined }),
}).map(({ type, role, required, value, holds, given }): [Partial<Arg>, unknown] => {
  const usable = type === "string" ? String(value) : typeof value === "number" ? value : -3;
  const fits = type === "boolean" ? true : usable;
  const isFlag = type === "boolean" && role.kind !== "flag";
  return [{
    type,
    role: isFlag ? { kind: "flag", flag: "--bool" } : role,
    required,
    ...(holds === "default" || holds === "both" ? { default: fits } : {}),
    ...(holds === "enum" || holds === "both"
      ? { enum: [fits, ...type === "string" ? ["b"] : []] }
      : {}),
  }, given];
});

function flagOf({ name, role }: Arg): string {
  return role.kind === "flag" ? role.flag : name;
}

Deno.test("checkLeadingDashes() leaves no text that begins with - where none consumes it", () => {
  let seen = 0;
  fc.assert(
    fc.property(fc.array(anyArg, { maxLength: 6 }), (drawn) => {
      const args = drawn.map(([rest], index) => argOf(`a${index}`, rest));
      const given = Object.fromEntries(drawn.map(([, value], index) => [`a${index}`, value]));
      const coercion = coerceArgs({ args }, given);
      if (!coercion.ok || checkLeadingDashes(args, coercion.values).length > 0) return;
      seen++;
      const { argv } = buildArgv(sourceOf(["program", "sub"]), args, coercion.values);
      // An independent reading of the command line: options of the config and what they consume
      const taking = args.flatMap(({ type, role }) => {
        return role.kind === "flag" && type !== "boolean" && /^-[^=]+$/.test(role.flag)
          ? [role.flag]
          : [];
      });
      // A flag that is both taken by itself and with a value can be read either way
      const bare = args.filter(({ type }) => type === "boolean").map(flagOf);
      if (args.some((arg) => arg.type !== "boolean" && bare.includes(flagOf(arg)))) return;
      const rest = argv.slice(2).map(({ text }) => text);
      while (rest.length > 0) {
        const token = rest.shift()!;
        if (taking.includes(token)) rest.shift();
        else if (token === "--bool" || /^-(?:-flag|f)=/.test(token)) continue;
        else if (token.startsWith("-") && token !== "-") {
          assert.match(token, /^-\d|^-(?:f|-flag)$/, JSON.stringify(argv));
          const isNumber = args.some(({ name, type }) => {
            const value = coercion.values.get(name);
            return type !== "string" && typeof value === "number" && String(value) === token;
          });
          const isOwnFlag = args.some(({ role }) => role.kind === "flag" && role.flag === token);
          assert.equal(isNumber || isOwnFlag, true, JSON.stringify(argv));
        }
      }
    }),
    { numRuns: 2000 },
  );
  assert.equal(seen > 200, true, `only ${seen} command lines were let through`);
});

Deno.test("checkDefaults() warns of defaults that are refused at the call", async () => {
  await using dir = await scratch();
  const args = [
    argOf("rev", { role: positional, default: "-x" }),
    argOf("count", { type: "integer", default: 500, constraint: { max: 100 } }),
    argOf("fine", { default: "a", constraint: { pattern: pattern("a") } }),
    argOf("none", { constraint: { pattern: pattern("a") } }),
  ];
  const said = "Tool 't' is refused without that argument: ";
  assert.deepEqual(await checkDefaults(toolOf("t", { args }), commandRunner()), [
    `${said}Argument 'rev': '-x' begins with '-' and would be read as an option; ` +
    "a policy can allow it with 'allow_leading_dash: true'",
    `${said}Argument 'count': value '500' is greater than maximum 100`,
  ]);
  const source = sourceOf(["x"], { workingDir: dir.path });
  const place = argOf("dir", {
    role: { kind: "cwd" },
    default: "..",
    constraint: { within: dir.path },
  });
  assert.deepEqual(await checkDefaults(toolOf("t", { args: [place], source }), commandRunner()), [
    `${said}Argument 'dir': '..' lies outside '${dir.path}'`,
  ]);
  const inside = { ...place, default: "." };
  assert.deepEqual(
    await checkDefaults(toolOf("t", { args: [inside], source }), commandRunner()),
    [],
  );
});

Deno.test("demandsOn() says each demand, and no secret value", () => {
  const none = { allowLeadingDash: false, secret: false };
  const rows: readonly [demanding: Pick<Arg, "fixed" | "constraint">, demands: string[]][] = [
    [{}, []],
    [{ constraint: none }, []],
    [{ fixed: "x", constraint: none }, ['is "x"']],
    [{ fixed: "x", constraint: { ...none, secret: true } }, ["is ***", "secret"]],
    [{ constraint: { ...none, min: 0, max: 0, maxLength: 1 } }, [
      "from 0",
      "to 0",
      "up to 1 characters",
    ]],
    [{ constraint: { pattern: pattern("a"), within: "/w", allowLeadingDash: true } }, [
      "matches a",
      "within /w",
      "may begin with -",
    ]],
  ];
  for (const [arg, demands] of rows) assert.deepEqual(demandsOn(arg), demands);
});

Deno.test("checkConstraints() says everything about every argument, and skips what is absent", async () => {
  const constraint = { max: 1 };
  const args = ["a", "b", "c"].map((name) => argOf(name, { type: "integer", constraint }));
  const refusals = await checkConstraints(args, new Map([["c", 3], ["a", 2]]), {});
  assert.deepEqual(refusals.map(({ arg }) => arg), ["a", "c"]);
});
