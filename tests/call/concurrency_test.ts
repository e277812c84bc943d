import assert from "node:assert/strict";
import { defaultConcurrency, ToolPermits } from "../../src/call/context.ts";
import { toolOf } from "../_tools.ts";

Deno.test("defaultConcurrency() leaves threads for the client on Windows", () => {
  for (const cores of [1, 2, 4, 8, 64]) {
    const calls = defaultConcurrency(cores, "windows");
    // Two pipes of each call, of four threads for each core, and all but four of them
    assert.ok(cores === 1 ? calls === 1 : 2 * calls + 4 === 4 * cores, `${cores} cores`);
    assert.equal(defaultConcurrency(cores, "linux"), 4 * cores);
  }
});

Deno.test("ToolPermits has one semaphore of a tool, until its number changes", () => {
  const permits = new ToolPermits();
  const of = (concurrency: number) => permits.of(toolOf("a", { concurrency }));
  const first = of(2);
  assert.equal(of(2), first);
  assert.notEqual(of(1), first);
  assert.equal(of(1)!.shareOf(undefined), 1);
  assert.equal(permits.of(toolOf("a")), undefined);
});
