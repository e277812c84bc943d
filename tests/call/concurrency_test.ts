import assert from "node:assert/strict";
import { call } from "../../src/call/call.ts";
import { defaultConcurrency, ToolPermits } from "../../src/call/context.ts";
import { toolOf } from "../_tools.ts";
import { sessionOf } from "../_session.ts";
import { until } from "../_wait.ts";

Deno.test("defaultConcurrency() leaves threads for the client on Windows", () => {
  for (const cores of [1, 2, 4, 8, 64]) {
    const calls = defaultConcurrency(cores, "windows");
    // Two pipes of each call, of four threads for each core, and all but four of them
    assert.ok(cores === 1 ? calls === 1 : 2 * calls + 4 === 4 * cores, `${cores} cores`);
    assert.equal(defaultConcurrency(cores, "linux"), 4 * cores);
  }
});

Deno.test("a call that is cancelled while it waits gives back the permits that it has", async () => {
  const policy = { file: "p", text: '{"tools":{"only":{"concurrency":1}}}' };
  const tools = [{ name: "only", command: "climax-no-such-program" }];
  await using session = await sessionOf({ tools }, { policy, calls: { concurrency: 1 } });
  const release = await session.semaphore.acquire() as () => void;
  const stop = new AbortController();
  const cancelled = call(session, { tool: "only" }, { signal: stop.signal });
  await until(() => session.semaphore.waiting === 1, "the call that waits");
  stop.abort();
  await cancelled;
  release();
  assert.equal(session.toolPermits.of(session.index.get("only")!)!.countHeld(undefined), 0);
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
