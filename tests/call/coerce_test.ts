import assert from "node:assert/strict";
import fc from "fast-check";
import { coerce, coerceArgs, Unfit } from "../../src/call/coerce.ts";
import type { Arg, ArgType, ArgValue } from "../../src/tool/tool.ts";
import { argOf } from "../_tools.ts";

const accepted: readonly [raw: unknown, type: ArgType, value: ArgValue][] = [
  ["", "string", ""],
  ["42", "string", "42"],
  [" a\n", "string", " a\n"],
  [42, "string", "42"],
  [3.5, "string", "3.5"],
  [3.0, "string", "3"],
  [true, "string", "true"],
  ["😀", "string", "😀"],
  ["\u0001\u001b\r", "string", "\u0001\u001b\r"],
  [42, "integer", 42],
  [-7, "integer", -7],
  [3.0, "integer", 3],
  ["42", "integer", 42],
  ["-42", "integer", -42],
  ["+42", "integer", 42],
  ["007", "integer", 7],
  ["9007199254740991", "integer", 9007199254740991],
  ["-9007199254740991", "integer", -9007199254740991],
  [3.5, "number", 3.5],
  [3, "number", 3],
  ["3.14", "number", 3.14],
  ["-.5", "number", -0.5],
  ["5.", "number", 5],
  ["1e3", "number", 1000],
  ["+1.5E-2", "number", 0.015],
  [true, "boolean", true],
  [false, "boolean", false],
  ["true", "boolean", true],
  ["TRUE", "boolean", true],
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
  ["", "integer", "cannot convert '' to integer"],
  [" 42", "integer", "cannot convert ' 42' to integer"],
  ["42\n", "integer", "cannot convert '42\n' to integer"],
  ["3.0", "integer", "cannot convert '3.0' to integer"],
  ["3.7", "integer", "cannot convert '3.7' to integer"],
  [3.7, "integer", "cannot convert '3.7' to integer"],
  ["0x10", "integer", "cannot convert '0x10' to integer"],
  ["0b1", "integer", "cannot convert '0b1' to integer"],
  ["1e3", "integer", "cannot convert '1e3' to integer"],
  ["1_000", "integer", "cannot convert '1_000' to integer"],
  ["--1", "integer", "cannot convert '--1' to integer"],
  ["٤٢", "integer", "cannot convert '٤٢' to integer"],
  [true, "integer", "cannot convert 'true' to integer"],
  [[1], "integer", "cannot convert '[1]' to integer"],
  [{ a: 1 }, "integer", `cannot convert '{"a":1}' to integer`],
  [
    "9007199254740992",
    "integer",
    "'9007199254740992' is beyond the integers that are exact, ±9007199254740991",
  ],
  [1e300, "integer", "'1e+300' is beyond the integers that are exact, ±9007199254740991"],
  ["abc", "number", "cannot convert 'abc' to number"],
  ["", "number", "cannot convert '' to number"],
  [".", "number", "cannot convert '.' to number"],
  ["1e", "number", "cannot convert '1e' to number"],
  ["NaN", "number", "cannot convert 'NaN' to number"],
  ["Infinity", "number", "cannot convert 'Infinity' to number"],
  ["-inf", "number", "cannot convert '-inf' to number"],
  ["1e999", "number", "cannot convert '1e999' to number"],
  ["0x10", "number", "cannot convert '0x10' to number"],
  ["1,5", "number", "cannot convert '1,5' to number"],
  [nan, "number", "cannot convert 'null' to number"],
  [false, "number", "cannot convert 'false' to number"],
  ["yes", "boolean", "cannot convert 'yes' to boolean"],
  ["1", "boolean", "cannot convert '1' to boolean"],
  ["", "boolean", "cannot convert '' to boolean"],
  [" true", "boolean", "cannot convert ' true' to boolean"],
  [1, "boolean", "cannot convert '1' to boolean"],
  [0, "boolean", "cannot convert '0' to boolean"],
  [["a"], "string", `cannot convert '["a"]' to string`],
  [{}, "string", "cannot convert '{}' to string"],
  ["a\0b", "string", "a NUL byte cannot be passed to a program"],
  ["\ud800", "string", "a lone surrogate is not valid Unicode text"],
  ["a\udc00b", "string", "a lone surrogate is not valid Unicode text"],
  ["\ude00\ud83d", "string", "a lone surrogate is not valid Unicode text"],
];

for (const [raw, type, reason] of refused) {
  Deno.test(`coerce() refuses ${JSON.stringify(raw)} as ${type}`, () => {
    assert.deepEqual(coerce(raw, type), new Unfit(reason));
  });
}

Deno.test("coerce() makes 0 of a negative zero, which no program is asked to read", () => {
  assert.equal(Object.is(coerce("-0", "integer"), 0), true);
  assert.equal(Object.is(coerce(-0, "integer"), 0), true);
});

Deno.test("coerce() quotes 100 characters of a value, and whole ones", () => {
  const long = new Unfit(`cannot convert '${"x".repeat(100)}…' to integer`);
  assert.deepEqual(coerce("x".repeat(101), "integer"), long);
  const exact = new Unfit(`cannot convert '${"x".repeat(100)}' to integer`);
  assert.deepEqual(coerce("x".repeat(100), "integer"), exact);
  const { reason } = coerce(`${"x".repeat(99)}😀`, "integer") as Unfit;
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
    if (value instanceof Unfit) {
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

const megabytes = 5 * 1024 * 1024;
const large: readonly [what: string, text: string][] = [
  ["letters", "x".repeat(megabytes)],
  ["digits", "9".repeat(megabytes)],
  ["zeros", `${"0".repeat(megabytes)}x`],
  ["digits and a point", `${"1".repeat(megabytes)}.`],
  ["points", ".".repeat(megabytes)],
  ["a fraction that does not end well", `0.${"1".repeat(megabytes)}e`],
  ["exponents", "1e".repeat(megabytes / 2)],
  ["spaces", " ".repeat(megabytes)],
  ["surrogate pairs", "😀".repeat(megabytes / 2)],
];

for (const [what, text] of large) {
  for (const type of types) {
    Deno.test(`coerce() answers 5 MB of ${what} as ${type} at once`, () => {
      const started = performance.now();
      const value = coerce(text, type);
      assert.equal(performance.now() - started < 2000, true);
      if (type === "string") assert.equal(value === text, true);
      else if (value instanceof Unfit) assert.equal(value.reason.length < 200, true);
      else assert.equal(typeof value, "number");
    });
  }
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

Deno.test("coerceArgs() looks at the enum after coercion", () => {
  const args = [
    argOf("whole", { type: "integer", enum: [1, 2] }),
    argOf("text", { enum: ["1", "true"] }),
    argOf("real", { type: "number", enum: [0.5] }),
  ];
  assert.deepEqual(valuesOf(args, { whole: "2", text: 1, real: "0.50" }), [
    ["whole", 2],
    ["text", "1"],
    ["real", 0.5],
  ]);
  assert.deepEqual(reasonsOf(args, { text: "TRUE" }), [
    "Argument 'text' must be one of: 1, true",
  ]);
});

Deno.test("coerceArgs() ignores keys that name no argument", () => {
  const given = { a: "1", b: "2", __proto__: { c: 3 }, constructor: "x", toString: "y" };
  assert.deepEqual(valuesOf([argOf("a")], given), [["a", "1"]]);
});

Deno.test("coerceArgs() does not find arguments on the prototype of what it is given", () => {
  const args = [argOf("constructor"), argOf("__proto__"), argOf("toString", { required: true })];
  assert.deepEqual(reasonsOf(args, {}), ["Missing required argument 'toString'"]);
  const given = JSON.parse('{"__proto__": "a", "constructor": "b", "toString": "c"}');
  assert.deepEqual(valuesOf(args, given), [
    ["constructor", "b"],
    ["__proto__", "a"],
    ["toString", "c"],
  ]);
});

Deno.test("coerceArgs() fills in defaults of every role where nothing or null is given", () => {
  const args = [
    argOf("a", { default: "x", role: { kind: "positional" } }),
    argOf("b", { type: "integer", default: 0 }),
    argOf("c", { type: "boolean", default: false }),
    argOf("d", { default: "/tmp", role: { kind: "cwd" } }),
    argOf("e", { default: "in", role: { kind: "stdin" } }),
    argOf("f"),
  ];
  assert.deepEqual(valuesOf(args, { a: null }), [
    ["a", "x"],
    ["b", 0],
    ["c", false],
    ["d", "/tmp"],
    ["e", "in"],
  ]);
});

Deno.test("coerceArgs() takes a given value before the default", () => {
  const args = [argOf("a", { default: "x" }), argOf("b", { type: "boolean", default: true })];
  assert.deepEqual(valuesOf(args, { a: "", b: "false" }), [["a", ""], ["b", false]]);
});

Deno.test("coerceArgs() does not let a default stand in for a required argument", () => {
  assert.deepEqual(reasonsOf([argOf("a", { required: true, default: "x" })], {}), [
    "Missing required argument 'a'",
  ]);
});
