/** Stages alone: which calls they run, wait for, and bound. */

import assert from "node:assert/strict";
import {
  completeCall,
  type Outcome,
  resultOf,
  type ScheduledCall,
} from "../../src/call/pipeline.ts";
import { background, limitResult, recheck, schedule, select } from "../../src/call/stages.ts";
import { FairSemaphore, type Release } from "../../src/async/semaphore.ts";
import { Jobs } from "../../src/jobs/jobs.ts";
import { type CallResult, textOf, textResult } from "../../src/tool/result.ts";
import { FakeClock } from "../_clock.ts";
import { cliOf, toolOf } from "../_tools.ts";

const unaudited = { kind: "unaudited", text: "No log" } as const satisfies Outcome;

/** A call of `echo` with what a test cares about. */
function callOf(
  { tool, record, ...rest }: { tool?: object; record?: object; [key: string]: unknown } = {},
): ScheduledCall {
  const run = () => Promise.resolve(textResult("ran"));
  const plan = { preview: { record: record ?? {}, line: "echo" }, run };
  const options = {};
  return { plan, options, ...rest, tool: toolOf("only", tool) } as unknown as ScheduledCall;
}

Deno.test("limitResult() leaves what is bounded by somebody else, and keeps the promise of a structure", async () => {
  const long = textResult("word ".repeat(1000));
  const structured = { words: "word ".repeat(1000) };
  const rows: readonly (readonly [call: object, result: CallResult, isCut: boolean])[] = [
    [{}, long, true],
    [{ tool: { owner: cliOf("own", { isBuiltin: true }) } }, long, false],
    [{ options: { parent: "s1" } }, long, false],
    [{}, { ...long, isWhole: true }, false],
    [{}, { ...textResult("a"), structured }, true],
    [{ tool: { output: { type: "object" } } }, { ...textResult("a"), structured }, true],
    [
      { tool: { output: { type: "object" } }, options: { knowsSchema: true } },
      { ...textResult("a"), structured },
      true,
    ],
  ];
  for (const [more, result, isCut] of rows) {
    const call = callOf({ context: { maxResultTokens: 100 }, ...more });
    const bounded = resultOf(await limitResult(call, () => completeCall(call, result)));
    assert.deepEqual([bounded !== result, bounded.isError], [isCut, false]);
    assert.equal(/omitted|end early/.test(textOf(bounded)), isCut);
  }
  assert.equal(await limitResult(callOf(), () => unaudited), unaudited);
  assert.equal(resultOf(unaudited).isError, true);
  const selecting = callOf({ tool: { select: { items: "$" } } });
  assert.equal(await select(selecting, () => unaudited), unaudited);
});

Deno.test("recheck() looks again at what an unasked call would lose", async () => {
  const look = (reason: string | undefined, more = {}) => {
    const plan = { reasonToAsk: () => Promise.resolve(reason) };
    const context = { index: 1, gate: {} };
    const tool = { needsConsent: "outside" };
    return recheck(callOf({ tool, plan, context, index: 1, ...more }), () => unaudited);
  };
  assert.match(textOf(resultOf(await look("git has no copy"))), /^Call refused: git has no copy/);
  assert.equal(await look(undefined), unaudited);
  assert.equal(await look("git has no copy", { asked: {} }), unaudited);
});

Deno.test("schedule() runs nothing without a permit, nor before its client can take an answer", async () => {
  const began: string[] = [];
  const next = (call: ScheduledCall) => (began.push("run"), completeCall(call, textResult("ran")));
  const context = (permit: unknown) => ({
    toolPermits: { of: () => undefined },
    semaphore: { acquire: () => Promise.resolve(permit), isFreeFor: () => true },
  });
  const full = resultOf(await schedule(callOf({ context: context("full") }), next));
  assert.match(textOf(full), /too many calls are waiting, try again later$/);
  assert.deepEqual([full.isError, full.record?.ending, began], [true, "not started: other", []]);
  const mayStart = async () => {
    await Promise.resolve();
    began.push("may");
  };
  const release = () => began.push("release");
  const call = callOf({ context: context(release), options: { mayStart } });
  assert.equal(textOf(resultOf(await schedule(call, next))), "ran");
  assert.deepEqual(began, ["may", "run", "release"]);
});

Deno.test("schedule() says that a call has waited whose permit went while it waited for its turn", async () => {
  const semaphore = new FairSemaphore(1);
  const other = Promise.withResolvers<Release>();
  const takeTurn = async () => {
    other.resolve(await semaphore.acquire() as Release);
    return { hasWaited: false, end() {} };
  };
  const context = { toolPermits: { of: () => undefined }, semaphore };
  const waited: unknown[] = [];
  const next = (call: ScheduledCall) => {
    waited.push(call.hasWaited);
    return completeCall(call, textResult("a"));
  };
  const plan = { ...callOf().plan, takeTurn };
  const scheduled = schedule(callOf({ context, plan }), next);
  const release = await other.promise;
  while (semaphore.waiting === 0) await Promise.resolve();
  release();
  await scheduled;
  await schedule(callOf({ context }), next);
  assert.deepEqual(waited, [true, undefined]);
});

Deno.test("background() refuses a job of too many at once, and leaves other calls as they are", async () => {
  const jobs = new Jobs({ running: 1 }, new FakeClock());
  jobs.refusalFor = () => "Too many jobs";
  const context = { background: { jobs, softTimeoutMs: 0, isAvailable: () => true, expose() {} } };
  const rows: readonly (readonly [tool: object, text: string, calls: string[]])[] = [
    [{ background: true }, "Too many jobs", []],
    [{ softTimeoutMs: 5 }, "ran", ["another"]],
    [{}, "ran", ["same"]],
  ];
  for (const [tool, text, calls] of rows) {
    const seen: string[] = [];
    const call = callOf({ tool, context });
    const result = resultOf(
      await background(call, (own) => {
        seen.push(own === call ? "same" : "another");
        return completeCall(own, textResult("ran"));
      }),
    );
    assert.deepEqual([textOf(result), seen], [text, calls]);
    assert.equal(result.isError, text !== "ran");
  }
});
