/** The SDK's validator in a bundle is loaded when it is first used, and not before. */

import assert from "node:assert/strict";
import { lazyValidator } from "../../build/_lazy_validator.ts";

const helper = `var __esm = (fn, res) => function __init() {
  return fn && (res = (0, fn[Object.keys(fn)[0]])(fn = 0)), res;
};
`;

/** As the bundler writes it. */
const bundle = `${helper}export const loaded = [];
// dist/ajvProvider-X.mjs
var AjvJsonSchemaValidator;
var init_ajvProvider_X = __esm({
  "dist/ajvProvider-X.mjs"() {
    loaded.push("ajv");
    AjvJsonSchemaValidator = class {
      getValidator(schema) {
        return (value) => ({ valid: typeof value === schema.type });
      }
    };
  }
});

// dist/shimsNode.mjs
var init_shimsNode = __esm({
  "dist/shimsNode.mjs"() {
    init_ajvProvider_X();
  }
});
init_shimsNode();
export const server = (options) => options?.jsonSchemaValidator ?? new AjvJsonSchemaValidator();
`;

/** Runs `code` as a module of its own, whoever has run the same before. */
async function evaluate(code: string) {
  const unique = `${code}// ${crypto.randomUUID()}`;
  return await import(`data:text/javascript,${encodeURIComponent(unique)}`);
}

Deno.test("lazyValidator() loads it when something is to be checked", async () => {
  const { loaded, server } = await evaluate(lazyValidator(bundle));
  const validator = server();
  assert.deepEqual(loaded, []);
  assert.deepEqual(validator.getValidator({ type: "string" })("x"), { valid: true });
  assert.deepEqual(validator.getValidator({ type: "string" })(1), { valid: false });
  assert.deepEqual(loaded, ["ajv"]);
});

Deno.test("lazyValidator() leaves a validator that is given alone", async () => {
  const { loaded, server } = await evaluate(lazyValidator(bundle));
  assert.equal(server({ jsonSchemaValidator: 1 }), 1);
  assert.deepEqual(loaded, []);
});

/** Two halves of the SDK in one bundle. */
const twice = bundle +
  bundle.slice(bundle.indexOf("// dist/ajvProvider"))
    .replaceAll(/AjvJsonSchemaValidator|ajvProvider_X|init_shimsNode/g, "$&2")
    .replace("const server", "const client").replace('push("ajv")', 'push("ajv2")');

Deno.test("lazyValidator() has one serve both halves, and leaves the other out", async () => {
  const lazy = lazyValidator(twice);
  assert.ok(!lazy.includes("ajv2"));
  const { loaded, client, server } = await evaluate(lazy);
  assert.deepEqual(client().getValidator({ type: "string" })(1), { valid: false });
  assert.deepEqual(server().getValidator({ type: "string" })("x"), { valid: true });
  assert.deepEqual(loaded, ["ajv"]);
});

Deno.test("lazyValidator() leaves in what something else runs", async () => {
  const used = `${twice}export const other = () => init_ajvProvider_X2();\n`;
  const { loaded, other } = await evaluate(lazyValidator(used));
  other();
  assert.deepEqual(loaded, ["ajv2"]);
});

Deno.test("lazyValidator() refuses a bundle that has or uses the validator otherwise", () => {
  for (const text of ["Ajv", "    init_ajvProvider_X();", "?? new"]) {
    assert.throws(() => lazyValidator(bundle.replaceAll(text, "other")), /Nothing was built/);
  }
});
