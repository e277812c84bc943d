/** The soak of `deno task bench soak`, for some seconds. */

import assert from "node:assert/strict";
import { processTools } from "../../_requirements.ts";
import { describe, failuresOf, soak } from "../../e2e/_soak.ts";

Deno.test("a mix of calls at their worst leaves nothing behind", {
  ignore: Deno.build.os !== "linux" || processTools.ignore,
}, async () => {
  // Always the same requests; `deno task bench soak` takes others and more of them
  const report = await soak({ calls: 800, firstCalls: 500, restSeconds: 0, seed: 20261121 });
  assert.deepEqual(failuresOf(report), [], describe(report));
});
