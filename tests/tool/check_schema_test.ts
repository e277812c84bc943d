import assert from "node:assert/strict";
import { checkSchema } from "../../src/tool/check_schema.ts";
import { assertLinear } from "../_growth.ts";

const schema = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 2, maxLength: 5, pattern: "^[a-z]+$" },
    count: { type: "integer", minimum: 1, maximum: 9, multipleOf: 2 },
    whole: { type: "number", multipleOf: 1 },
    ratio: { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 },
    kind: { enum: ["a", 1, null] },
    fixed: { const: "x" },
    narrow: { enum: ["a", "b"], const: "a" },
    list: {
      type: "array",
      items: { type: "integer" },
      minItems: 1,
      maxItems: 2,
      uniqueItems: true,
    },
    pair: { type: "array", prefixItems: [{ type: "string" }, { type: "integer" }], items: false },
    inner: {
      type: "object",
      properties: { a: { type: "boolean" } },
      required: ["a"],
      additionalProperties: false,
    },
    map: { type: "object", additionalProperties: { type: "integer" } },
    either: { anyOf: [{ type: "string" }, { type: "object", required: ["b"] }] },
    one: { oneOf: [{ type: "integer" }, { type: "number" }] },
    both: { allOf: [{ type: "string" }, { minLength: 3 }] },
    never: { not: { type: "string" } },
    tree: { $ref: "#/$defs/tree" },
    nullable: { type: ["string", "null"] },
    no: false,
    any: { type: "array" },
    patterns: {
      type: "object",
      patternProperties: { "^x": {} },
      additionalProperties: false,
    },
    preset: {
      type: "object",
      properties: { level: { type: "string", default: "info" }, other: { type: "string" } },
      required: ["level", "other"],
    },
  },
  required: ["name"],
  $defs: {
    tree: {
      type: "object",
      properties: { value: { type: "integer" }, next: { $ref: "#/$defs/tree" } },
      required: ["value"],
    },
  },
};

const cases: readonly (readonly [what: string, values: object, reasons: readonly string[]])[] = [
  ["what fits", { name: "abc", count: 4, ratio: 0.5, kind: null, list: [1, 2] }, []],
  ["a constant beside other values", { name: "abc", narrow: "b" }, [
    "Argument 'narrow' must be 'a'",
  ]],
  ["what is missing", {}, ["Missing required argument 'name'"]],
  ["a type", { name: 5 }, ["Argument 'name': cannot convert '5' to string"]],
  ["an enum", { name: "abc", kind: "b" }, ["Argument 'kind' must be one of: a, 1, null"]],
  ["a constant", { name: "abc", fixed: "y" }, ["Argument 'fixed' must be 'x'"]],
  ["an item", { name: "abc", list: [1, "x"] }, [
    "Argument 'list[1]': cannot convert 'x' to integer",
  ]],
  ["a tuple", { name: "abc", pair: ["a", "b"] }, [
    "Argument 'pair[1]': cannot convert 'b' to integer",
  ]],
  ["beyond a tuple", { name: "abc", pair: ["a", 1, 2] }, ["Argument 'pair[2]' is not allowed"]],
  ["inside an object", { name: "abc", inner: { a: "x", b: 1 } }, [
    "Argument 'inner.a': cannot convert 'x' to boolean",
    "Argument 'inner.b' is not known",
  ]],
  ["missing inside", { name: "abc", inner: {} }, ["Missing required argument 'inner.a'"]],
  ["what a server fills in", { name: "abc", preset: {} }, [
    "Missing required argument 'preset.other'",
  ]],
  ["a map", { name: "abc", map: { x: 1, y: "z" } }, [
    "Argument 'map.y': cannot convert 'z' to integer",
  ]],
  ["what the server checks: lengths, patterns, bounds, forms", {
    name: "ABCDEF",
    count: 11,
    ratio: 1,
    list: [],
    either: {},
    one: 1,
    both: "ab",
    never: "x",
  }, []],
  ["a reference", { name: "abc", tree: { value: 1, next: { value: "x" } } }, [
    "Argument 'tree.next.value': cannot convert 'x' to integer",
  ]],
  ["null where it may be", { name: "abc", nullable: null }, []],
  ["several types", { name: "abc", nullable: 1 }, [
    "Argument 'nullable': cannot convert '1' to string or null",
  ]],
  ["what is forbidden", { name: "abc", no: 1 }, ["Argument 'no' is not allowed"]],
  ["what is not spoken of", { name: "abc", other: 1, any: [1], patterns: { x: 1 } }, []],
  ["what is after a list of anything", { any: Array(20_000).fill(1), name: 5 }, [
    "Argument 'name': cannot convert '5' to string",
  ]],
  [
    "20 reasons",
    { name: "abc", list: Array(30).fill("x") },
    Array.from({ length: 20 }, (_, at) => `Argument 'list[${at}]': cannot convert 'x' to integer`),
  ],
];

for (const [what, values, reasons] of cases) {
  Deno.test(`checkSchema() knows ${what}`, () => {
    assert.deepEqual(checkSchema(schema, values as Record<string, unknown>), reasons);
  });
}

Deno.test("checkSchema() ends with schemas made to have no end", () => {
  const self = { properties: { a: { $ref: "#" } }, $ref: "#" };
  assert.deepEqual(checkSchema(self, { a: { a: { a: 1 } } }), []);
  const circle = { $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } };
  assert.deepEqual(
    checkSchema({ ...circle, properties: { x: { $ref: "#/$defs/a" } } }, { x: 1 }),
    [],
  );
});

const nested: readonly (readonly [rest: object, wrap: (inner: object) => object])[] = [
  [{ properties: { a: { $ref: "#" }, wrong: false } }, (inner) => ({ a: inner })],
  [
    { properties: { wrong: false }, additionalProperties: { $ref: "#" } },
    (inner) => ({ b: inner }),
  ],
  [{ properties: { wrong: false }, items: { $ref: "#" } }, (inner) => [inner]],
];

for (const [schema, wrap] of nested) {
  Deno.test(`checkSchema() looks 50 levels deep: ${JSON.stringify(wrap({}))}`, () => {
    let values: object = { wrong: 1 };
    for (let level = 1; level < 50; level++) values = wrap(values);
    const found = (values: object) => checkSchema({ ...schema }, values as never).length;
    assert.deepEqual([found(values), found(wrap(values))], [1, 0]);
  });
}

/** Schemas, and of how many items the last is looked at: all with 20,000 steps. */
const bounded: readonly (readonly [
  schema: Record<string, unknown>,
  right: unknown,
  wrong: unknown,
  max: number,
])[] = [
  [{ items: { type: "integer", a: 1, b: 1, c: 1 }, a: 1, b: 1, c: 1, d: 1, e: 1 }, 1, "x", 6666],
  [{ items: { enum: ["x".repeat(98)] } }, "x".repeat(98), "", 8000],
  [{ items: { required: Array(8).fill("a") } }, { a: 1 }, {}, 8000],
];

for (const [schema, right, wrong, max] of bounded) {
  Deno.test(`checkSchema() has steps for ${max} items of ${JSON.stringify(right).slice(0, 9)}`, () => {
    const found = (count: number) => {
      const items = [...Array(count - 1).fill(right), wrong];
      return checkSchema(schema, items as never).length > 0;
    };
    assert.deepEqual([found(max), found(max + 1)], [true, false]);
  });
}

Deno.test("checkSchema() counts a reason as a step", () => {
  const schema = {
    items: { additionalProperties: { type: "integer" }, a: 1, b: 1, c: 1 },
    ...{ a: 1, b: 1 },
  };
  const found = (count: number) => {
    const items = [{ x: "" }, ...Array(count - 2).fill({}), { x: "" }];
    return checkSchema(schema, items as never).length;
  };
  assert.deepEqual([found(6664), found(6665)], [2, 1]);
});

Deno.test("checkSchema() finds names that objects inherit", () => {
  const strict = { properties: {}, required: ["constructor", "__proto__"] };
  assert.deepEqual(checkSchema(strict, {}), [
    "Missing required argument 'constructor'",
    "Missing required argument '__proto__'",
  ]);
});

/** Schemas and values whose sizes multiply. */
const hostile: readonly (readonly [
  what: string,
  size: number,
  make: (size: number) => readonly [
    schema: Record<string, unknown>,
    values: Record<string, unknown>,
  ],
])[] = [
  ["values again and again", 400, (size) => [
    {
      properties: { a: { items: { $ref: "#/$defs/many" } } },
      $defs: { many: { enum: Array.from({ length: size }, (_, at) => `value ${at}`) } },
    },
    { a: Array(size).fill(`value ${size - 1}`) },
  ]],
  ["references to what is large", 200, (size) => [
    {
      properties: { a: { items: { $ref: "#/$defs/l1", title: "" } } },
      $defs: {
        l1: { $ref: "#/$defs/l2", title: "" },
        l2: Object.fromEntries(Array.from({ length: size }, (_, at) => [`k${at}`, at])),
      },
    },
    { a: Array(size).fill(1) },
  ]],
];

for (const [what, size, make] of hostile) {
  Deno.test(`checkSchema() leaves to the server what takes too long: ${what}`, async () => {
    await assertLinear((size) => {
      const [schema, values] = make(size);
      return () => assert.deepEqual(checkSchema(schema, values), []);
    }, { size });
    const [schema, values] = make(20 * size);
    assert.deepEqual(checkSchema(schema, values), []);
  });
}
