import assert from "node:assert/strict";
import { defaultConcurrency } from "../../src/call/context.ts";

Deno.test("defaultConcurrency() leaves threads for the client on Windows", () => {
  for (const cores of [1, 2, 4, 8, 64]) {
    const calls = defaultConcurrency(cores, "windows");
    // Two pipes of each call, of four threads for each core
    assert.ok(calls === 1 || 2 * calls + 4 <= 4 * cores, `${cores} cores`);
    assert.equal(defaultConcurrency(cores, "linux"), 4 * cores);
  }
});
