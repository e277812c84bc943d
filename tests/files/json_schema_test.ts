import assert from "node:assert/strict";
import { compileSchema } from "../../src/files/json_schema.ts";
import { workerBudget } from "../../src/files/work_budget.ts";

const object = { type: "object" } as const;

const values: readonly [
  what: string,
  schema: object,
  value: unknown,
  misfit: string | undefined,
][] = [
  ["a type", { properties: { a: { type: "integer" } } }, { a: 1 }, undefined],
  [
    "another type",
    { properties: { a: { type: "integer" } } },
    { a: "1" },
    "at /a: must be integer",
  ],
  ["what is missing", { required: ["a"] }, {}, "must have required property 'a'"],
  [
    "what is too much",
    { properties: { a: true }, additionalProperties: false },
    { a: 1, zz: 2 },
    "must NOT have additional properties: 'zz'",
  ],
  [
    "a value of none of these",
    { properties: { a: { enum: ["x", 1] } } },
    { a: 2 },
    'at /a: must be equal to one of the allowed values: "x", 1',
  ],
  [
    "a pattern in linear time",
    { properties: { a: { pattern: "^(a+)+$" }, b: { pattern: "^b$" } } },
    { b: "b", a: `${"a".repeat(50_000)}!` },
    'at /a: must match pattern "^(a+)+$"',
  ],
  [
    "items twice, however their keys stand",
    { properties: { a: { uniqueItems: true } } },
    { a: [{ x: 1, y: 2 }, { y: 2, x: 1 }] },
    "at /a: must have no item twice",
  ],
  [
    "many different items",
    { properties: { a: { uniqueItems: true } } },
    { a: Array.from({ length: 50_000 }, (_, id) => ({ id })) },
    undefined,
  ],
  [
    "what stands in the schema itself",
    { properties: { a: { $ref: "#/$defs/b" } }, $defs: { b: { type: "null" } } },
    { a: 1 },
    "at /a: must be null",
  ],
  ["a schema without an end", { $ref: "#" }, {}, "it cannot be checked: the schema goes too deep"],
  ["a format, which is a note", { properties: { a: { format: "date" } } }, { a: "x" }, undefined],
];

for (const [what, schema, value, misfit] of values) {
  Deno.test(`compileSchema() checks ${what}`, async () => {
    const check = await compileSchema({ ...object, ...schema });
    assert.ok(typeof check === "function", JSON.stringify(check));
    assert.equal(check(value), misfit);
  });
}

const endless: readonly [name: string, schema: object, value: unknown][] = [
  [
    "references that double",
    {
      type: "object",
      properties: { c: { anyOf: [{ $ref: "#" }, { $ref: "#" }] }, x: { type: "string" } },
    },
    withX(60),
  ],
  [
    "dynamic references that double",
    {
      type: "object",
      $dynamicAnchor: "n",
      properties: {
        c: { anyOf: [{ $dynamicRef: "#n" }, { $dynamicRef: "#n" }] },
        x: { type: "string" },
      },
    },
    withX(60),
  ],
  [
    "a large pattern over a large text",
    { type: "object", properties: { s: { pattern: "(?:a?){900}[^a]", type: "string" } } },
    { s: "a".repeat(4_000_000) },
  ],
];

function withX(levels: number): unknown {
  return levels === 0 ? { x: 1 } : { c: withX(levels - 1) };
}

for (const [name, schema, value] of endless) {
  Deno.test(`compileSchema() gives up in time: ${name}`, async () => {
    // The check may read the clock a hundred times, which is far less than it needs
    let time = 0;
    const check = await compileSchema(schema, {
      ...workerBudget,
      now: () => time += workerBudget.ms / 100,
    });
    assert.ok(typeof check === "function");
    assert.equal(check(value), "it cannot be checked: the schema takes too long");
  });
}

Deno.test("compileSchema() leaves values alone that look like references", async () => {
  const check = await compileSchema({
    type: "object",
    properties: { $ref: { type: "string" }, k: { const: { $ref: "#" } }, n: { $ref: "#/$defs/n" } },
    $defs: { n: { type: "integer" } },
    additionalProperties: false,
  });
  assert.ok(typeof check === "function");
  assert.equal(check({ $ref: "x", k: { $ref: "#" }, n: 1 }), undefined);
  assert.equal(check({ n: "1" }), "at /n: must be integer");
});
