import assert from "node:assert/strict";
import { argsSchema } from "../../src/tool/json_schema.ts";
import { type Arg, maxItems } from "../../src/tool/tool.ts";
import { argOf } from "../_tools.ts";

Deno.test("argsSchema() names what is required, in definition order", () => {
  const args = [
    argOf("z", { required: true }),
    argOf("a"),
    argOf("m", { required: true, type: "integer" }),
  ];
  const schema = argsSchema(args);
  assert.deepEqual(schema.required, ["z", "m"]);
  assert.deepEqual(Object.keys(schema.properties), ["z", "a", "m"]);
});

const rows: readonly [what: string, arg: Partial<Arg>, schema: object][] = [
  ["a bare argument", {}, { type: "string" }],
  ["a description", { description: "Why" }, { type: "string", description: "Why" }],
  ["an enum", { type: "integer", enum: [1, 2] }, { type: "integer", enum: [1, 2] }],
  ["a default", { type: "number", default: 0.5 }, { type: "number", default: 0.5 }],
  ["a default of false", { type: "boolean", default: false }, { type: "boolean", default: false }],
  ["a default of 0", { type: "integer", default: 0 }, { type: "integer", default: 0 }],
  ["an empty default", { default: "" }, { type: "string", default: "" }],
  ["examples", { examples: ["a.txt"] }, { type: "string", examples: ["a.txt"] }],
  ["a list", { type: "array", list: { type: "string", min: 0, max: maxItems } }, {
    type: "array",
    items: { type: "string" },
  }],
  [
    "the rules of a list",
    { type: "array", list: { type: "integer", enum: [1, 2], min: 1, max: 3 }, default: [1] },
    {
      type: "array",
      items: { type: "integer", enum: [1, 2] },
      minItems: 1,
      maxItems: 3,
      default: [1],
    },
  ],
  ["a role, of which it says nothing", { role: { kind: "stdin" } }, { type: "string" }],
];

for (const [what, arg, schema] of rows) {
  Deno.test(`argsSchema() shows ${what}`, () => {
    assert.deepEqual(argsSchema([argOf("a", arg)]).properties["a"], schema);
  });
}

Deno.test("argsSchema() does not show what is fixed", () => {
  const args = [argOf("a", { fixed: "secret", required: true }), argOf("b")];
  assert.deepEqual(argsSchema(args), { type: "object", properties: { b: { type: "string" } } });
});
