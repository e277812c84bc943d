import assert from "node:assert/strict";
import fc from "../_properties.ts";
import { coerceArgs } from "../../src/call/coerce.ts";
import type { Arg, ArgType, ArgValue, ListRules } from "../../src/tool/tool.ts";
import { coerce, InvalidValue } from "../../src/tool/value.ts";
import { argOf } from "../_tools.ts";
import { assertLinear } from "../_growth.ts";

const accepted: readonly [raw: unknown, type: ArgType, value: ArgValue][] = [
  ["", "string", ""],
  [" a\n", "string", " a\n"],
  [42, "string", "42"],
  [3.0, "string", "3"],
  [true, "string", "true"],
  ["\u0001\u001b\r", "string", "\u0001\u001b\r"],
  [42, "integer", 42],
  [3.0, "integer", 3],
  ["42", "integer", 42],
  ["+42", "integer", 42],
  ["007", "integer", 7],
  ["9007199254740991", "integer", 9007199254740991],
  ["-9007199254740991", "integer", -9007199254740991],
  [3.5, "number", 3.5],
  ["-.5", "number", -0.5],
  ["1e3", "number", 1000],
  ["+1.5E-2", "number", 0.015],
  ["0.10000000000000000000", "number", 0.1],
  [9007199254740991, "string", "9007199254740991"],
  ["1234567890123456789", "string", "1234567890123456789"],
  [true, "boolean", true],
  [false, "boolean", false],
  ["true", "boolean", true],
  ["False", "boolean", false],
];

for (const [raw, type, value] of accepted) {
  Deno.test(`coerce() takes ${JSON.stringify(raw)} as the ${type} ${JSON.stringify(value)}`, () => {
    assert.equal(coerce(raw, type), value);
  });
}

const nan = NaN;
const refused: readonly [raw: unknown, type: ArgType, reason: string][] = [
  ["hello", "integer", "cannot convert 'hello' to integer"],
  [" 42", "integer", "cannot convert ' 42' to integer"],
  ["42\n", "integer", "cannot convert '42\n' to integer"],
  ["3.0", "integer", "cannot convert '3.0' to integer"],
  [3.7, "integer", "cannot convert '3.7' to integer"],
  ["0x10", "integer", "cannot convert '0x10' to integer"],
  ["1e3", "integer", "cannot convert '1e3' to integer"],
  ["1_000", "integer", "cannot convert '1_000' to integer"],
  [true, "integer", "cannot convert 'true' to integer"],
  [{ a: 1 }, "integer", `cannot convert '{"a":1}' to integer`],
  [
    "9007199254740992",
    "integer",
    "'9007199254740992' is beyond the integers that are exact, ±9007199254740991",
  ],
  [1e300, "integer", "'1e+300' is beyond the integers that are exact, ±9007199254740991"],
  [
    "1234567890123456789",
    "number",
    "'1234567890123456789' has more digits than a number keeps exactly",
  ],
  ["1e-999", "number", "'1e-999' has more digits than a number keeps exactly"],
  ...(["string", "number"] as const).map((type): [unknown, ArgType, string] => [
    JSON.parse("1234567890123456789"),
    type,
    "'1234567890123456800' may not be the number that was sent, since integers are exact up to " +
    "±9007199254740991: send it as text",
  ]),
  ["abc", "number", "cannot convert 'abc' to number"],
  [".", "number", "cannot convert '.' to number"],
  ["NaN", "number", "cannot convert 'NaN' to number"],
  ["1e999", "number", "cannot convert '1e999' to number"],
  [nan, "number", "cannot convert 'null' to number"],
  [false, "number", "cannot convert 'false' to number"],
  ["yes", "boolean", "cannot convert 'yes' to boolean"],
  ["1", "boolean", "cannot convert '1' to boolean"],
  [" true", "boolean", "cannot convert ' true' to boolean"],
  [1, "boolean", "cannot convert '1' to boolean"],
  [["a"], "string", `cannot convert '["a"]' to string`],
  ["a\0b", "string", "a NUL byte cannot be passed to a program"],
  ["a\udc00b", "string", "a lone surrogate is not valid Unicode text"],
  ["\ude00\ud83d", "string", "a lone surrogate is not valid Unicode text"],
];

for (const [raw, type, reason] of refused) {
  Deno.test(`coerce() refuses ${JSON.stringify(raw)} as ${type}`, () => {
    assert.deepEqual(coerce(raw, type), new InvalidValue(reason));
  });
}

Deno.test("coerce() makes 0 of a negative zero, which no program is asked to read", () => {
  assert.equal(Object.is(coerce("-0", "integer"), 0), true);
  assert.equal(Object.is(coerce(-0, "integer"), 0), true);
});

Deno.test("coerce() quotes 100 characters of a value, and whole ones", () => {
  const long = new InvalidValue(`cannot convert '${"x".repeat(100)}…' to integer`);
  assert.deepEqual(coerce("x".repeat(101), "integer"), long);
  const exact = new InvalidValue(`cannot convert '${"x".repeat(100)}' to integer`);
  assert.deepEqual(coerce("x".repeat(100), "integer"), exact);
  const { reason } = coerce(`${"x".repeat(99)}😀`, "integer") as InvalidValue;
  assert.equal(reason.isWellFormed(), true);
});

const types: readonly ArgType[] = ["string", "integer", "number", "boolean"];

Deno.test("coerce() gives a value of the type or a reason, whatever it is given", () => {
  const anything = fc.oneof(
    fc.jsonValue(),
    fc.string({ unit: "binary" }),
    fc.integer().map(String),
    fc.double().map(String),
    fc.double(),
  );
  fc.assert(fc.property(anything, fc.constantFrom(...types), (raw, type) => {
    const value = coerce(raw, type);
    if (value instanceof InvalidValue) {
      assert.equal(value.reason.isWellFormed(), true);
      assert.equal(value.reason.length < 200, true);
      return;
    }
    assert.equal(typeof value, type === "integer" ? "number" : type);
    if (type === "integer") assert.equal(Number.isSafeInteger(value), true);
    if (type === "number") assert.equal(Number.isFinite(value), true);
  }));
});

Deno.test("coerce() reads every safe integer and every finite number back from its text", () => {
  fc.assert(fc.property(fc.maxSafeInteger(), (value) => {
    assert.equal(coerce(String(value), "integer"), value + 0);
  }));
  fc.assert(fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
    assert.equal(coerce(String(value), "number"), value + 0);
  }));
});

const large: readonly [what: string, textOf: (size: number) => string][] = [
  ["letters", (size) => "x".repeat(size)],
  ["zeros", (size) => `${"0".repeat(size)}x`],
  ["a fraction that does not end well", (size) => `0.${"1".repeat(size)}e`],
  ["exponents", (size) => "1e".repeat(size / 2)],
  ["a zero and zeros", (size) => `0.1${"0".repeat(size)}1`],
  ["surrogate pairs", (size) => "😀".repeat(size / 2)],
];

for (const [what, textOf] of large) {
  for (const type of types) {
    Deno.test(`coerce() reads ${what} as ${type} in linear time, and 5 MB of them`, async () => {
      await assertLinear((size) => {
        const text = textOf(size);
        return () => coerce(text, type);
      }, { size: 5_000 });
      const text = textOf(5 * 1024 * 1024);
      const value = coerce(text, type);
      if (type === "string") assert.equal(value === text, true);
      else if (value instanceof InvalidValue) assert.equal(value.reason.length < 200, true);
      else assert.equal(typeof value, "number");
    });
  }
}

type ListRow = readonly [raw: unknown, rules: Partial<ListRules>, values: ArgValue[] | string];

const lists: readonly ListRow[] = [
  [["a", "b c"], {}, ["a", "b c"]],
  [[1, true], {}, ["1", "true"]],
  [["1", 2], { type: "integer" }, [1, 2]],
  [[], {}, []],
  ["a", {}, ["a"]],
  [7, { type: "integer" }, [7]],
  ['["a", "b"]', {}, ["a", "b"]],
  [" [1, 2]", { type: "integer" }, [1, 2]],
  ["[a-z]*", {}, ["[a-z]*"]],
  [["a"], { min: 2 }, "expected at least 2 items, found 1"],
  [["a", "b"], { max: 1 }, "expected at most 1 item, found 2"],
  [["a", "c"], { enum: ["a", "b"] }, "item 2 must be one of: a, b"],
  [["1"], { type: "integer", enum: [1] }, [1]],
  [["a", "b,c"], { separator: "," }, "item 2, 'b,c', contains ',', which parts the items"],
  ["a,b", { separator: "," }, "item 1, 'a,b', contains ',', which parts the items"],
  [["a", "1"], { type: "integer" }, "item 1: cannot convert 'a' to integer"],
  ["x", { type: "integer" }, "cannot convert 'x' to integer"],
  [["a", null], {}, "item 2: cannot convert 'null' to string"],
  [["a", ["b"]], {}, `item 2: cannot convert '["b"]' to string`],
  [["a\0"], {}, "a NUL byte cannot be passed to a program"],
  [{ a: 1 }, {}, `cannot convert '{"a":1}' to string`],
  [
    ["1", JSON.parse("9007199254740993")],
    { type: "integer" },
    "item 2: '9007199254740992' is beyond the integers that are exact, ±9007199254740991",
  ],
];

for (const [raw, rules, expected] of lists) {
  Deno.test(`coerceArgs() reads the list ${JSON.stringify(raw)} by ${JSON.stringify(rules)}`, () => {
    const list: ListRules = { type: "string", min: 0, max: 9, ...rules };
    const args = [argOf("a", { type: "array", list })];
    if (typeof expected === "string") {
      assert.deepEqual(reasonsOf(args, { a: raw }), [`Argument 'a': ${expected}`]);
    } else {
      assert.deepEqual(valuesOf(args, { a: raw }), [["a", expected]]);
    }
  });
}

const texts: readonly [raw: unknown, value: string][] = [
  ['{"a":1}', '{"a":1}'],
  [{ a: [1, "b"] }, '{\n  "a": [\n    1,\n    "b"\n  ]\n}'],
  [[], "[]"],
  [5, "5"],
  [{ a: [12345678901234567890] }, "'12345678901234567000' may not be the number that was sent"],
];

for (const [raw, value] of texts) {
  Deno.test(`coerceArgs() reads ${JSON.stringify(raw)} as a text of JSON`, () => {
    const args = [argOf("input", { role: { kind: "stdin" }, text: "json" })];
    const coercion = coerceArgs({ args }, { input: raw });
    if (coercion.ok) assert.equal(coercion.values.get("input"), value);
    else assert.ok(coercion.reasons[0]!.startsWith(`Argument 'input': ${value}`));
    const plain = coerceArgs({ args: [argOf("input")] }, { input: raw });
    assert.equal(plain.ok, typeof raw !== "object");
  });
}

function reasonsOf(args: readonly Arg[], given: Record<string, unknown>): readonly string[] {
  const coercion = coerceArgs({ args }, given);
  return coercion.ok ? [] : coercion.reasons;
}

function valuesOf(args: readonly Arg[], given: Record<string, unknown>): [string, ArgValue][] {
  const coercion = coerceArgs({ args }, given);
  assert.equal(coercion.ok, true);
  return coercion.ok ? [...coercion.values] : [];
}

Deno.test("coerceArgs() reports required, then types, then enums, each in definition order", () => {
  const args = [
    argOf("format", { enum: ["json", "text", "csv"] }),
    argOf("count", { type: "integer" }),
    argOf("message", { required: true }),
    argOf("level", { type: "integer", enum: [1, 2] }),
    argOf("ratio", { type: "number" }),
    argOf("path", { required: true }),
  ];
  const given = { format: "xml", count: "hello", level: "3", ratio: [], path: null };
  assert.deepEqual(reasonsOf(args, given), [
    "Missing required argument 'message'",
    "Missing required argument 'path'",
    "Argument 'count': cannot convert 'hello' to integer",
    "Argument 'ratio': cannot convert '[]' to number",
    "Argument 'format' must be one of: json, text, csv",
    "Argument 'level' must be one of: 1, 2",
  ]);
});

const unknownRows: readonly [given: Record<string, unknown>, reasons: string[]][] = [
  [{ dryrun: true }, ["Unknown argument 'dryrun'"]],
  [{ "dry-runs": true, DRY_RUN: 1 }, [
    "Unknown argument 'dry-runs'",
    "Unknown argument 'DRY_RUN'",
  ]],
  [{ dryrun: true, dry_run: false }, []],
  [{ dryrun: true, dry_run: null }, ["Unknown argument 'dryrun'"]],
  [{ dryrun: null }, []],
  [{ remotes: "x", colour: 1 }, ["Unknown argument 'remotes'"]],
  [{ hiden: 1, hidden: 2 }, []],
  [{ x: 1, id: 2 }, []],
  [{ pat: 1, ni: 2 }, ["Unknown argument 'pat'"]],
  [{ N: 1 }, ["Unknown argument 'N'"]],
  [{ do: 1, top: 2 }, []],
  [{ "": 1, ["x".repeat(1000)]: 2 }, []],
];

for (const [given, reasons] of unknownRows) {
  Deno.test(`coerceArgs() says of ${JSON.stringify(given).slice(0, 60)} what was meant`, () => {
    const args = [
      argOf("dry_run", { type: "boolean" }),
      argOf("remote"),
      argOf("hidden", { fixed: "x" }),
      argOf("n"),
      argOf("path"),
      argOf("to"),
    ];
    assert.deepEqual(reasonsOf(args, given), reasons);
    const open = coerceArgs({ args, isOpen: true }, given);
    assert.equal(open.ok, reasons.length === 0);
    if (!open.ok) assert.match(open.help[0]!, /^'[^']+': did you mean \w+$/);
    assert.equal(coerceArgs({ args }, given, { refuses: "none" }).ok, true);
  });
}

Deno.test("coerceArgs() refuses every unknown name where it is told to", () => {
  const args = [argOf("a"), argOf("hidden", { fixed: "x" })];
  const reasons = (given: Record<string, unknown>, of: readonly Arg[] = args) => {
    const coercion = coerceArgs({ args: of }, given, { refuses: "unknown" });
    return coercion.ok ? [] : coercion.reasons;
  };
  assert.deepEqual(reasons({ a: 1, colour: 2, hidden: 3 }), [
    "Unknown argument 'colour'",
    "Unknown argument 'hidden'",
  ]);
  assert.deepEqual(reasons({ a: 1 }), []);
  assert.deepEqual(reasons({ x: 1 }, []), ["Unknown argument 'x'"]);
  const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, 1]));
  assert.equal(reasons(many).length, 20);
});

const positional = { kind: "positional" } as const;
const fixed = [argOf("a", { fixed: "x", required: true }), argOf("b")];
const inherited = [argOf("constructor"), argOf("__proto__"), argOf("toString", { required: true })];
const presets = [
  argOf("a", { default: "x", role: positional }),
  argOf("b", { type: "boolean", default: true }),
  argOf("c", { type: "integer", default: 0 }),
  argOf("d", { default: "/tmp", role: { kind: "cwd" } }),
  argOf("e", { default: "in", role: { kind: "stdin" } }),
  argOf("f"),
];

const valueRows: readonly [what: string, args: Arg[], given: object, values: object][] = [
  ["uses a fixed value whatever is sent", fixed, { a: "y", b: "z" }, { a: "x", b: "z" }],
  ["uses a fixed value if nothing is sent", fixed, {}, { a: "x" }],
  [
    "ignores keys that name no argument",
    [argOf("a")],
    { a: "1", b: "2", __proto__: { c: 3 }, constructor: "x", toString: "y" },
    { a: "1" },
  ],
  [
    "fills in defaults of every role for nothing and null",
    presets,
    { a: null },
    { a: "x", b: true, c: 0, d: "/tmp", e: "in" },
  ],
  [
    "takes given values before defaults",
    presets,
    { a: "", b: "false", c: 1, d: ".", e: "" },
    { a: "", b: false, c: 1, d: ".", e: "" },
  ],
  [
    "takes names of Object.prototype as any other",
    inherited,
    JSON.parse('{"__proto__": "a", "constructor": "b", "toString": "c"}'),
    JSON.parse('{"constructor": "b", "__proto__": "a", "toString": "c"}'),
  ],
];

for (const [what, args, given, values] of valueRows) {
  Deno.test(`coerceArgs() ${what}`, () => {
    assert.deepEqual(valuesOf(args, { ...given }), Object.entries(values));
  });
}

for (const arg of [argOf("a", { required: true, default: "x" }), inherited[2]!]) {
  Deno.test(`coerceArgs() misses the required argument '${arg.name}', whatever could stand for it`, () => {
    assert.deepEqual(reasonsOf([arg], {}), [`Missing required argument '${arg.name}'`]);
  });
}
