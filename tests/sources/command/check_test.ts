/** What the invalid fixtures cannot show: values of other shapes, and what the rules let through. */

import assert from "node:assert/strict";
import fc from "../../_properties.ts";
import { checkConfig } from "../../../src/sources/command/read_config.ts";

type ArgRow = readonly [what: string, arg: Record<string, unknown>];

Deno.test("checkConfig() refuses a variable name with a NUL byte in it", () => {
  assert.deepEqual(checkConfig({ command: "echo", env: { "A\0B": "x" }, tools: [] }), [
    { path: ["env", "A\0B"], message: "'A\0B' cannot be the name of an environment variable" },
  ]);
});

Deno.test("checkConfig() leaves every value that has not the shape to the schema", () => {
  const odd = fc.oneof(fc.constantFrom(null, undefined, 0, "", "x", true, [], {}, [null]));
  const config = fc.record({
    command: odd,
    env: odd,
    global_args: fc.oneof(odd, fc.array(fc.oneof(odd, fc.record({ name: odd, flag: odd })))),
    tools: fc.oneof(
      odd,
      fc.array(fc.oneof(odd, fc.record({ name: odd, command: odd, args: fc.array(odd) }))),
    ),
  });
  fc.assert(fc.property(fc.oneof(odd, config, fc.jsonValue()), (value) => {
    for (const { path, message } of checkConfig(value)) {
      assert.notEqual(message, "");
      assert.equal(path.length > 0, true);
    }
  }));
});
