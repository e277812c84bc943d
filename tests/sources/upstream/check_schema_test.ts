import assert from "node:assert/strict";
import {
  checkSchema as check,
  SchemaPatterns,
} from "../../../src/sources/upstream/check_schema.ts";
import { assertLinear } from "../../_growth.ts";

/** As a server would have it that was never called before. */
function checkSchema(schema: Parameters<typeof check>[0], values: Parameters<typeof check>[1]) {
  return check(schema, values, new SchemaPatterns());
}

const schema = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 2, maxLength: 5, pattern: "^[a-z]+$" },
    count: { type: "integer", minimum: 1, maximum: 9, multipleOf: 2 },
    whole: { type: "number", multipleOf: 1 },
    ratio: { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 },
    kind: { enum: ["a", 1, null] },
    fixed: { const: "x" },
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
  ["what is missing", {}, ["Missing required argument 'name'"]],
  ["a type", { name: 5 }, ["Argument 'name': cannot convert '5' to string"]],
  ["too short", { name: "a" }, [
    "Argument 'name': value 'a' has 1 characters, expected at least 2",
  ]],
  ["no multiple of 1", { name: "abc", whole: 1.5 }, [
    "Argument 'whole': value '1.5' is not a multiple of 1",
  ]],
  ["too long", { name: "abcdef" }, [
    "Argument 'name': value 'abcdef' has 6 characters, expected at most 5",
  ]],
  ["a pattern", { name: "ABC" }, [
    "Argument 'name': value 'ABC' does not match pattern '^[a-z]+$'",
  ]],
  ["too small", { name: "abc", count: 0 }, ["Argument 'count': value '0' is less than minimum 1"]],
  ["too large", { name: "abc", count: 10 }, [
    "Argument 'count': value '10' is greater than maximum 9",
  ]],
  ["a multiple", { name: "abc", count: 3 }, ["Argument 'count': value '3' is not a multiple of 2"]],
  ["exclusive bounds", { name: "abc", ratio: 1 }, [
    "Argument 'ratio': value '1' is not less than 1",
  ]],
  ["an enum", { name: "abc", kind: "b" }, ["Argument 'kind' must be one of: a, 1, null"]],
  ["a constant", { name: "abc", fixed: "y" }, ["Argument 'fixed' must be 'x'"]],
  ["an item", { name: "abc", list: [1, "x"] }, [
    "Argument 'list[1]': cannot convert 'x' to integer",
  ]],
  ["too few items", { name: "abc", list: [] }, [
    "Argument 'list' has 0 items, expected at least 1",
  ]],
  ["too many items", { name: "abc", list: [1, 2, 3] }, [
    "Argument 'list' has 3 items, expected at most 2",
  ]],
  ["an item twice", { name: "abc", list: [1, 1] }, ["Argument 'list' has the same item twice"]],
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
  ["one of several", { name: "abc", either: {} }, [
    "Argument 'either' fits none of the 2 forms it may have: " +
    "Argument 'either': cannot convert '{}' to string",
  ]],
  ["more than one", { name: "abc", one: 1 }, [
    "Argument 'one' fits 2 forms of which it may have one",
  ]],
  ["all of several", { name: "abc", both: "ab" }, [
    "Argument 'both': value 'ab' has 2 characters, expected at least 3",
  ]],
  ["not", { name: "abc", never: "x" }, ["Argument 'never' has a form that is not allowed"]],
  ["a reference", { name: "abc", tree: { value: 1, next: { value: "x" } } }, [
    "Argument 'tree.next.value': cannot convert 'x' to integer",
  ]],
  ["null where it may be", { name: "abc", nullable: null }, []],
  ["several types", { name: "abc", nullable: 1 }, [
    "Argument 'nullable': cannot convert '1' to string or null",
  ]],
  ["what is forbidden", { name: "abc", no: 1 }, ["Argument 'no' is not allowed"]],
  ["what is not spoken of", { name: "abc", other: 1 }, []],
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
  let deep: object = { type: "integer" };
  for (let level = 0; level < 16; level++) deep = { anyOf: [deep, deep] };
  // One of 65,536 branches after the other would be refused
  assert.deepEqual(checkSchema({ properties: { x: deep } }, { x: "no" }), []);
  const backtracking = { properties: { x: { type: "string", pattern: "^(a+)+$" } } };
  const [reason] = checkSchema(backtracking, { x: `${"a".repeat(9000)}!` });
  assert.match(reason!, /does not match pattern/);
});

Deno.test("checkSchema() leaves patterns that RE2 does not know to the server", () => {
  const lookahead = { properties: { x: { type: "string", pattern: "^(?=a)b$" } } };
  assert.deepEqual(checkSchema(lookahead, { x: "c" }), []);
});

Deno.test("checkSchema() finds names that objects inherit", () => {
  const strict = { properties: {}, required: ["constructor", "__proto__"] };
  assert.deepEqual(checkSchema(strict, {}), [
    "Missing required argument 'constructor'",
    "Missing required argument '__proto__'",
  ]);
});

/** A pattern that takes seconds on 9,000 characters, and many of the same. */
const costly = `(?:${Array.from({ length: 60 }, (_, at) => `a{1,40}b${at}`).join("|")})`;

/** Schemas and values whose sizes multiply. */
const hostile: readonly (readonly [
  what: string,
  size: number,
  make: (size: number) => readonly [
    schema: Record<string, unknown>,
    values: Record<string, unknown>,
  ],
])[] = [
  ["a pattern again and again", 5, (size) => [
    { properties: { a: { type: "string", allOf: Array(size).fill({ pattern: costly }) } } },
    { a: "a".repeat(100 * size) },
  ]],
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

const expensive: readonly (readonly [what: string, patterns: readonly string[], most: number])[] = [
  ["a pattern that counts", ["(?:(?:a{1,100}){1,100}){1,100}"], 0],
  ["a pattern that is long", ["(a?)".repeat(60_000)], 0],
  [
    "patterns that all differ",
    Array.from({ length: 2000 }, (_, at) => `(?:x{1,300}${at}){1,3}`),
    // Each of them has some thousand instructions
    8,
  ],
];

for (const [what, all, most] of expensive) {
  Deno.test(`checkSchema() does not compile what takes too long: ${what}`, () => {
    const patterns = new SchemaPatterns();
    const schema = { properties: { a: { allOf: all.map((pattern) => ({ pattern })) } } };
    assert.deepEqual(check(schema, { a: "-".repeat(5000) }, patterns), []);
    const compiled = all.filter((pattern) => patterns.known(pattern) !== undefined);
    assert.ok(compiled.length <= most, `${compiled.length} patterns`);
  });
}

Deno.test("checkSchema() checks the rest where a pattern is left to the server", () => {
  const properties = {
    a: { type: "string", pattern: costly },
    b: { type: "string", pattern: "^[a-z]+$" },
    c: { type: "integer" },
  };
  const reasons = checkSchema({ properties }, { a: "a".repeat(9000), b: "B", c: "x" });
  assert.deepEqual(reasons, [
    "Argument 'b': value 'B' does not match pattern '^[a-z]+$'",
    "Argument 'c': cannot convert 'x' to integer",
  ]);
});

Deno.test("checkSchema() takes nothing for fitting that it has not looked at", () => {
  const text = "a".repeat(9000);
  const undecided: readonly Record<string, unknown>[] = [
    { not: { pattern: costly } },
    { not: { pattern: "(?=a)" } },
    { not: { format: "email" } },
    { oneOf: [{ pattern: costly }, { type: "string" }] },
    { oneOf: [{ contentEncoding: "base64" }, { type: "string" }] },
  ];
  for (const a of undecided) assert.deepEqual(checkSchema({ properties: { a } }, { a: text }), []);
  assert.deepEqual(checkSchema({ properties: { a: { not: { pattern: "^a" } } } }, { a: "ab" }), [
    "Argument 'a' has a form that is not allowed",
  ]);
});

Deno.test("SchemaPatterns compiles each pattern once, and keeps no more than it may", () => {
  const patterns = new SchemaPatterns();
  const all = Array.from({ length: 1200 }, (_, at) => `^[a-z]{1,50}${at}$`);
  for (const pattern of all) {
    const schema = { properties: { a: { pattern } } };
    assert.equal(check(schema, { a: "b" }, patterns).length, 1, pattern);
  }
  const last = patterns.known(all.at(-1)!)?.expression;
  check({ properties: { a: { pattern: all.at(-1) } } }, { a: "b" }, patterns);
  assert.ok(last !== undefined && patterns.known(all.at(-1)!)?.expression === last);
  const kept = all.filter((pattern) => patterns.known(pattern) !== undefined);
  assert.ok(kept.length < 1000, `${kept.length} patterns`);
});
