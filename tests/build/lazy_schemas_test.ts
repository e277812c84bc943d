/** The schemas of the MCP SDK in a bundle, which are made when they are used. */

import assert from "node:assert/strict";
import { z } from "zod";
import { lazySchemas } from "../../build/_lazy_schemas.ts";

const bundle = `var made = [];
var keep = (name, schema) => { made.push(name); return schema; };
var version, OneSchema, TwoSchema, ThreeSchema, OwnSchema;
var init_sdk = {
  "npm/@modelcontextprotocol/core/2.4.0/dist/schemas.mjs"() {
    version = "1";
    OneSchema = keep("one", z.object({
      a: z.string(),
      b: z.union([
        z.number(),
        z.boolean()
      ])
    }));
    TwoSchema = keep("two", OneSchema.extend({ c: z.number().optional() }));
    ThreeSchema = keep("three", z.object({ one: OneSchema, two: TwoSchema.optional() }));
  }
});
var init_own = {
  "src/own.ts"() {
    OwnSchema = keep("own", z.string());
  }
});
`;

/** The bundle as it runs; what it leaves out is the wrapper of its modules. */
function running(code: string) {
  const plain = code.replaceAll("});\nvar", "};\nvar").replace(/\}\);\n$/, "};\n");
  const body = `${plain}
    init_sdk[Object.keys(init_sdk)[0]]();
    init_own[Object.keys(init_own)[0]]();
    return { made, version, OneSchema, TwoSchema, ThreeSchema, OwnSchema };`;
  return new Function("z", body)(z);
}

Deno.test("lazySchemas() makes a schema of the SDK when it is used, and those that it uses", () => {
  const { made, version, ThreeSchema, TwoSchema, OneSchema, OwnSchema } = running(
    lazySchemas(bundle, 3),
  );
  assert.equal(version, "1");
  assert.deepEqual(made, ["own"]);
  assert.equal(OwnSchema.parse("x"), "x");
  const one = { a: "x", b: true };
  assert.deepEqual(OneSchema.parse(one), one);
  assert.deepEqual(made, ["own", "one"]);
  assert.equal(ThreeSchema.safeParse({ one, two: { ...one, c: "no" } }).success, false);
  assert.deepEqual(ThreeSchema.parse({ one, two: { ...one, c: 1 } }), {
    one,
    two: { ...one, c: 1 },
  });
  assert.deepEqual(made, ["own", "one", "two", "three"]);
  assert.ok(TwoSchema instanceof z.ZodObject && TwoSchema instanceof z.ZodType);
  assert.deepEqual(Object.keys(TwoSchema.shape), ["a", "b", "c"]);
  assert.equal("~standard" in TwoSchema, true);
  assert.equal(TwoSchema.extend({ d: z.null() }).safeParse({ ...one, d: null }).success, true);
  assert.deepEqual(running(bundle).made, ["one", "two", "three", "own"]);
});

Deno.test("lazySchemas() refuses a bundle without the schemas that it looks for", () => {
  for (const code of ["", "var a = 1;\n", bundle.replace("@modelcontextprotocol", "other")]) {
    assert.throws(() => lazySchemas(code), /Nothing was built/);
  }
});
