/** The soak of `deno task soak`, for some seconds. */

import assert from "node:assert/strict";
import { describe, failuresOf, soak } from "../../bench/soak.ts";

Deno.test({
  name: "a mix of calls at their worst leaves nothing behind",
  ignore: Deno.build.os !== "linux",
}, async () => {
  const seed = Date.now() % 1_000_000;
  const report = await soak({ calls: 10_000, seconds: 15, firstCalls: 1500, restSeconds: 0, seed });
  assert.deepEqual(failuresOf(report), [], describe(report));
});
