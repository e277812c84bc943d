import assert from "node:assert/strict";
import { argsSchema } from "../../src/tool/json_schema.ts";
import type { Arg } from "../../src/tool/tool.ts";
import { argOf } from "../_tools.ts";

Deno.test("argsSchema() of no arguments has no 'required'", () => {
  assert.deepEqual(argsSchema([]), { type: "object", properties: {} });
});

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
  ["a role, of which it says nothing", { role: { kind: "stdin" } }, { type: "string" }],
];

for (const [what, arg, schema] of rows) {
  Deno.test(`argsSchema() shows ${what}`, () => {
    assert.deepEqual(argsSchema([argOf("a", arg)]).properties["a"], schema);
  });
}

Deno.test("argsSchema() takes a name of Object.prototype for a name like any other", () => {
  const schema = argsSchema([argOf("__proto__"), argOf("constructor")]);
  assert.equal(
    JSON.stringify(schema),
    '{"type":"object","properties":{"__proto__":{"type":"string"},' +
      '"constructor":{"type":"string"}}}',
  );
});
