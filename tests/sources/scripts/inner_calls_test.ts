/** Scripts around their VM: the searches and calls of one, dry runs, and what waits. */

import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { Worker } from "node:worker_threads";
import { ToolTable } from "../../../src/catalog/tool_table.ts";
import { scriptLimits } from "../../../src/sources/scripts/limits.ts";
import { stopThread } from "../../../src/sources/scripts/vm.ts";
import { scriptRunner } from "../../../src/sources/scripts/script_source.ts";
import { InnerCalls } from "../../../src/sources/scripts/inner_calls.ts";
import { scriptTool } from "../../../src/sources/scripts/script_tools.ts";
import type { Session } from "../../../src/session/session.ts";
import { textOf } from "../../../src/tool/result.ts";
import type { Answer, PlanOptions } from "../../../src/tool/runner.ts";
import { settle } from "../../_clock.ts";
import { unixTest } from "../../_requirements.ts";
import { answerTo, policyOf, sessionOf } from "../../_session.ts";
import { until, within } from "../../_wait.ts";
import { closeVms } from "./_vm.ts";

Deno.test.afterAll(closeVms);

const word = { name: "word", positional: true, required: true };
const tools = [
  { name: "say", command: "echo", effect: "read", args: [word] },
  { name: "save", command: "echo", effect: "write", args: [word] },
] as const;

function callsOf(context: Session, options: PlanOptions = {}, limits = scriptLimits): InnerCalls {
  return new InnerCalls({ context, options, id: "s1", limits });
}

Deno.test("a search of a script gives what calls take, fifty at most and no scripts", async () => {
  const many = Array.from({ length: 60 }, (_, at) => ({ ...tools[0], name: `say_${at}` }));
  await using session = await sessionOf({ tools: many }, { scripts: true });
  const calls = callsOf(session);
  const search = async (limit: unknown, query: unknown = "say word") => {
    const text = JSON.stringify({ query, limit });
    const value = await calls.answer({ kind: "search", text });
    return value.isError ? value.text : JSON.parse(value.text);
  };
  const usual = (await search(undefined)).length;
  const rows = [[1, 1], [2.7, 2], [50, 50], [51, 50], [0.5, usual], [-1, usual], ["3", usual]];
  for (const [limit, count] of rows) {
    assert.equal((await search(limit)).length, count, String(limit));
  }
  const [{ description: _, ...first }] = await search(1, "say_7");
  assert.deepEqual(first, { name: "say_7", effect: "read", signature: "say_7(word)" });
  assert.deepEqual(await search(50, "script run many calls"), []);
  assert.match(await search(1, 3), /^search\(\) takes a query, not /);
});

unixTest("a script asks one question after the other, and none once it has ended", async () => {
  const policy = policyOf({ default: "enabled", confirm: "write" });
  await using session = await sessionOf({ tools }, { policy });
  const asked: string[] = [];
  const first = Promise.withResolvers<Answer>();
  const ask = ({ message }: { readonly message?: string }) => {
    asked.push(String(message));
    return first.promise;
  };
  const calls = callsOf(session, { ask: ask as PlanOptions["ask"] });
  const answers = ["a", "b"].map((word) => {
    return calls.answer({ kind: "call", text: JSON.stringify({ name: "save", args: { word } }) });
  });
  await until(() => asked.length === 1, "the first question");
  // Time for another one
  assert.equal((await answerTo(session, { tool: "say", args: { word: "c" } })).text, "c");
  let isClosed = false;
  const closing = calls.close().then(() => isClosed = true);
  await settle();
  assert.equal(isClosed, false);
  first.resolve({ action: "accept", content: { run: true } });
  const [one, other] = await Promise.all(answers);
  await closing;
  assert.equal(asked.length, 1);
  assert.equal(one!.isError, true);
  assert.match(other!.text, /Call cancelled while it waited/);
  assert.match((await calls.answer({ kind: "call", text: '{"name":"say"}' })).text, /has ended/);
});

unixTest(
  "a script that waits for another of its client is not run once it is cancelled",
  async () => {
    await using session = await sessionOf({ tools });
    const runner = scriptRunner();
    const run = async (code: string, signal?: AbortSignal, owner = "ada") => {
      const plan = await runner.prepare(scriptTool([]), new Map([["code", code]]));
      assert.ok(plan.ok);
      return await plan.run({ owner, signal, callerContext: session });
    };
    const [end, stop] = [new AbortController(), new AbortController()];
    const [first, second, third] = [
      run("for (;;);", end.signal),
      run("return 2", stop.signal),
      run("return 3"),
    ];
    stop.abort();
    const cancelled = await second;
    assert.equal(textOf(cancelled), "Script not run: the call was cancelled");
    assert.deepEqual([cancelled.isError, cancelled.record?.ending], [true, "not started: other"]);
    // Another client waits for none of them
    const other = run("return 4", undefined, "bob").then(textOf);
    assert.equal(await Promise.race([other, first.then(() => "the first one has ended")]), "4");
    end.abort();
    assert.match(textOf(await first), /^Script failed: The call was cancelled/);
    assert.equal(textOf(await third), "3");
    await runner.close?.();
  },
);

for (const [event, message] of [["exit"], ["message", { kind: "idle" }]] as const) {
  Deno.test(`stopThread() waits for a thread that computes until its ${event}, and for no bound`, async () => {
    const told: string[] = [];
    const asked = Promise.withResolvers<void>();
    const thread = Object.assign(new EventEmitter(), {
      postMessage: () => asked.resolve(),
      terminate: () => Promise.resolve(told.push("terminate")),
    });
    const stopped = stopThread(thread as unknown as Worker, 100_000);
    await asked.promise;
    thread.emit("message", { kind: "log", text: "it computes" });
    await settle();
    told.push(event);
    thread.emit(event, message);
    await within(stopped, "the end of the thread");
    assert.deepEqual(told, [event, "terminate"]);
  });
}

Deno.test("a client is told of scripts by the tools that run them", () => {
  const { scripts } = new ToolTable([scriptTool([])], []);
  assert.deepEqual([...scripts], ["script"]);
});

Deno.test("a script makes as many calls as it may, whatever its VM lets through", async () => {
  await using session = await sessionOf({ tools });
  const calls = callsOf(session, {}, { ...scriptLimits, calls: 2 });
  const texts: string[] = [];
  for (let call = 0; call < 3; call++) {
    texts.push(
      (await calls.answer({ kind: "call", text: '{"name":"none"}' })).text.split("\n")[0]!,
    );
  }
  const unknown = "Unknown tool: none";
  assert.deepEqual(texts, [unknown, unknown, "A script makes 2 calls"]);
});
