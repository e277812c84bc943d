import assert from "node:assert/strict";
import type { Client, Result } from "@modelcontextprotocol/client";
import { LogMessages } from "../../../src/sources/upstream/_log_messages.ts";
import {
  maxCallMs,
  maxLogLength,
  maxLogsPerSecond,
} from "../../../src/sources/upstream/_bounds.ts";
import {
  RunningCalls,
  type UpstreamRequest,
} from "../../../src/sources/upstream/_running_calls.ts";
import type { Answer } from "../../../src/tool/runner.ts";
import { FakeClock } from "../../_clock.ts";

// What a request sends is up to the test
const client = {} as Client;

/** A call that runs until `finish`, with the log messages that it got. */
function begin(calls: RunningCalls, elicitationScope: object | undefined) {
  const reply = Promise.withResolvers<Result>();
  const logs: unknown[] = [];
  const ended = calls.run(client, {
    subject: "Tool 'x'",
    send: () => reply.promise,
    timeoutMs: 1000,
    caller: { elicitationScope, onLog: ({ data }) => void logs.push(data) },
  });
  return { logs, finish: () => (reply.resolve({}), ended) };
}

Deno.test("RunningCalls gives a log message to its call, and to none of two clients", async () => {
  const calls = new RunningCalls("one", new FakeClock());
  const log = (data: string) => calls.onLog({ level: "info", data });
  assert.equal(log("early"), false);
  const [one, other] = [{}, {}];
  const first = begin(calls, one);
  assert.equal(log("alone"), true);
  const second = begin(calls, one);
  assert.equal(log("same client"), true);
  const third = begin(calls, other);
  // It is of one of them: nobody else may read it either
  assert.equal(log("of whom"), true);
  await third.finish();
  const fourth = begin(calls, undefined);
  assert.equal(log("of whom again"), true);
  await Promise.all([first.finish(), second.finish(), fourth.finish()]);
  assert.deepEqual([first.logs, second.logs, third.logs, fourth.logs], [
    ["alone"],
    ["same client"],
    [],
    [],
  ]);
});

Deno.test("RunningCalls counts the time of questions to none of its bounds", async () => {
  const clock = new FakeClock();
  const calls = new RunningCalls("one", clock);
  const answers = new Map(["a", "b"].map((key) => [key, Promise.withResolvers<Answer>()]));
  const progress = Promise.withResolvers<() => void>();
  const reply = Promise.withResolvers<Result>();
  const ended = calls.run(client, {
    subject: "Tool 'x'",
    send(_, { onprogress }) {
      progress.resolve(() => onprogress!({ progress: 1 }));
      return reply.promise;
    },
    timeoutMs: 1000,
    caller: { ask: ({ message }) => answers.get(message.at(-1)!)!.promise },
  });
  const requestedSchema = { type: "object", properties: {} } as const;
  const ask = (message: string) => calls.onElicit({ mode: "form", message, requestedSchema });
  const first = ask("a");
  await clock.advance(maxCallMs);
  const second = ask("b");
  answers.get("a")!.resolve({ action: "decline" });
  await first;
  await clock.advance(maxCallMs);
  answers.get("b")!.resolve({ action: "decline" });
  await second;
  (await progress.promise)();
  await clock.advance(999);
  reply.resolve({});
  assert.deepEqual(await ended, {});
});

Deno.test("RunningCalls sends answers that came with a call, to a server of 2026-07-28 only", async () => {
  const inputResponses = { name: { action: "accept", content: { name: "Ada" } } };
  for (const era of ["modern", "legacy"]) {
    const of = { getProtocolEra: () => era } as unknown as Client;
    const sent: unknown[] = [];
    const send = (...[, , responses]: Parameters<UpstreamRequest["send"]>) => {
      sent.push(responses);
      return Promise.resolve({});
    };
    const calls = new RunningCalls("one", new FakeClock());
    await calls.run(of, { subject: "Tool 'x'", send, timeoutMs: 1000, caller: { inputResponses } });
    assert.deepEqual(sent, [era === "modern" ? { inputResponses } : {}]);
  }
});

Deno.test("LogMessages bounds and cleans what a server logs", async () => {
  const clock = new FakeClock();
  const logs = new LogMessages("one", { clock });
  assert.equal(logs.read({ level: "loud", data: 1 }), undefined);
  assert.equal(logs.read("text"), undefined);
  assert.deepEqual(
    logs.read({ level: "info", logger: "a\u001b[2J", data: { b: "\u001b[31mred" } }),
    { level: "info", logger: "one: a", data: { b: "red" } },
  );
  const { data } = logs.read({ level: "info", data: "x".repeat(2 * maxLogLength) })!;
  assert.equal(String(data).length <= maxLogLength + 1, true);
  await clock.advance(1000);
  const read = Array.from({ length: 500 }, () => logs.read({ level: "info", data: 1 }));
  assert.equal(read.filter((each) => each !== undefined).length, maxLogsPerSecond);
  await clock.advance(1000);
  assert.notEqual(logs.read({ level: "info", data: 1 }), undefined);
});
