/** The names of bundled configs, beside their texts. */

import assert from "node:assert/strict";
import { bundledConfigs } from "../../../src/sources/command/bundled.ts";
import { bundledNames } from "../../../src/sources/command/bundled_names.ts";

Deno.test("bundledNames has the name of every bundled config, in alphabetical order", () => {
  assert.deepEqual([...bundledNames], [...bundledConfigs.keys()]);
  assert.deepEqual([...bundledNames], [...bundledNames].toSorted());
});
