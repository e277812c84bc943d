import assert from "node:assert/strict";
import { ProtocolError, type Result } from "@modelcontextprotocol/client";
import { maxCallMs } from "../../../src/sources/upstream/_bounds.ts";
import type { UpstreamConnection } from "../../../src/sources/upstream/connection.ts";
import {
  RunningCalls,
  type UpstreamRequest,
} from "../../../src/sources/upstream/_running_calls.ts";
import type { Answer } from "../../../src/tool/runner.ts";
import { FakeClock } from "../../_clock.ts";
import { NetworkError } from "../../../src/net/send_once.ts";
import { UpstreamError } from "../../../src/sources/upstream/error.ts";
import { failureOf, unknownOutcome } from "./_calls.ts";

// What a request sends is up to the test
function connectionOf(era: "legacy" | "modern") {
  return { client: { getProtocolEra: () => era } } as UpstreamConnection;
}

const connection = connectionOf("legacy");

/** A call that runs until `finish`, with the log messages that it got. */
function begin(calls: RunningCalls, elicitationScope: object | undefined) {
  const reply = Promise.withResolvers<Result>();
  const logs: unknown[] = [];
  const ended = calls.run(connection, {
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
  log("early");
  const [one, other] = [{}, {}];
  const first = begin(calls, one);
  log("alone");
  const second = begin(calls, one);
  log("same client");
  const third = begin(calls, other);
  // It is of one of them: nobody else may read it either
  log("of whom");
  await third.finish();
  const fourth = begin(calls, undefined);
  log("of whom again");
  await Promise.all([first.finish(), second.finish(), fourth.finish()]);
  assert.deepEqual([first.logs, second.logs, third.logs, fourth.logs], [
    ["alone"],
    ["same client"],
    [],
    [],
  ]);
});

Deno.test("RunningCalls asks nobody else while a server may be at a call that was given up", async () => {
  const clock = new FakeClock();
  const calls = new RunningCalls("one", clock);
  const asked: string[] = [];
  const start = (client: string, scope: object, signal?: AbortSignal) => {
    const ask = () => {
      asked.push(client);
      return Promise.resolve({ action: "accept", content: {} } as const);
    };
    const caller = { elicitationScope: scope, signal, ask, onLog: () => void asked.push(client) };
    const send = () => new Promise<Result>(() => {});
    return calls.run(connection, { subject: "Tool 'x'", send, timeoutMs: 3_600_000, caller });
  };
  const [bob, ada, stop] = [{}, {}, new AbortController()];
  const given = start("bob", bob, stop.signal);
  void start("ada", ada).catch(() => {});
  stop.abort();
  await assert.rejects(given, /cancelled/);
  const params = {
    message: "Continue?",
    requestedSchema: { type: "object", properties: {} },
  } as const;
  await assert.rejects(calls.onElicit(params), /calls of several clients are running/);
  calls.onLog({ level: "info", data: "of bob's call" });
  assert.deepEqual(asked, []);
  await clock.advance(10 * 60 * 1000);
  await calls.onElicit(params);
  assert.deepEqual(asked, ["ada"]);
});

Deno.test("RunningCalls counts the time of questions to none of its bounds", async () => {
  const clock = new FakeClock();
  const calls = new RunningCalls("one", clock);
  const answers = new Map(["a", "b"].map((key) => [key, Promise.withResolvers<Answer>()]));
  const progress = Promise.withResolvers<() => void>();
  const reply = Promise.withResolvers<Result>();
  const ended = calls.run(connection, {
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
  // News during a question starts no timeout
  (await progress.promise)();
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
  for (const era of ["modern", "legacy"] as const) {
    const of = connectionOf(era);
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

/** Makes one call, whose answers of the server are `send`. */
function callWith(
  send: UpstreamRequest["send"],
  caller: UpstreamRequest["caller"] = {},
  { of = connectionOf("modern"), calls = new RunningCalls("one", new FakeClock()) } = {},
): Promise<Result> {
  return calls.run(of, { subject: "Tool 'x'", send, timeoutMs: 1000, caller });
}

const asking = (method = "elicitation/create") => {
  const params = { mode: "form", message: "Who?", requestedSchema: { type: "object" } };
  const inputRequests = { a: { method, params } };
  return { resultType: "input_required", inputRequests, requestState: "s" } as Result;
};

Deno.test("RunningCalls asks until there is an answer, ten times at most", async () => {
  const accepted: Answer = { action: "accept", content: {} };
  for (const [questions, said] of [[10, undefined], [11, /has asked 10 times/]] as const) {
    const sent: unknown[] = [];
    const ended = callWith((_, __, responses) => {
      sent.push(responses);
      return Promise.resolve(sent.length <= questions ? asking() : {});
    }, { ask: () => Promise.resolve(accepted), logLevel: "info" });
    const meta = { _meta: { "io.modelcontextprotocol/logLevel": "info" } };
    if (said === undefined) assert.deepEqual(await ended, {});
    else await assert.rejects(ended, { kind: "refused", message: said });
    assert.deepEqual(sent.slice(0, 2), [meta, {
      ...meta,
      inputResponses: { a: accepted },
      requestState: "s",
    }]);
    assert.equal(sent.length, 11);
  }
});

Deno.test("RunningCalls refuses what nobody can be asked, and says why", async () => {
  const unasked: Answer = { action: "unasked", reason: "nobody is there" };
  const rows: readonly [method: string | undefined, UpstreamRequest["caller"], RegExp][] = [
    ["roots/list", {}, /asks for 'roots\/list', which climax does not offer/],
    [undefined, {}, /\('Who\?'\), but the client does not support elicitation/],
    [undefined, { ask: () => Promise.resolve(unasked) }, /but nobody is there/],
  ];
  for (const [method, caller, message] of rows) {
    const ended = callWith(() => Promise.resolve(asking(method)), caller);
    await assert.rejects(ended, { kind: "refused", message });
  }
  const calls = new RunningCalls("one", new FakeClock());
  await assert.rejects(
    calls.onElicit({ mode: "url", message: "Go", url: "https://x/", elicitationId: "1" }),
    /asks the user while no call is running/,
  );
});

Deno.test("RunningCalls has 256 calls at most, and a place after each", async () => {
  const calls = new RunningCalls("one", new FakeClock());
  const all = Array.from({ length: 256 }, () => begin(calls, undefined));
  await assert.rejects(begin(calls, undefined).finish(), {
    kind: "refused",
    message: /has 256 calls running already, try again later/,
  });
  await all[0]!.finish();
  assert.equal(calls.size, 255);
  const last = begin(calls, undefined);
  await Promise.all([...all.slice(1), last].map(({ finish }) => finish()));
  assert.equal(calls.size, 0);
});

Deno.test("RunningCalls ends a call that is quiet, that takes too long in all, or is cancelled", async () => {
  const clock = new FakeClock();
  const calls = new RunningCalls("one", clock);
  const progress = Promise.withResolvers<() => void>();
  const of = { of: connection, calls };
  const never = new Promise<Result>(() => {});
  const quiet = callWith(() => never, {}, of);
  const stop = new AbortController();
  const cancelled = callWith(() => never, { signal: stop.signal }, of);
  const aborted = callWith(() => never, { signal: AbortSignal.abort() }, of);
  const signals: AbortSignal[] = [];
  const long = callWith(
    (_, { signal, onprogress }) => {
      signals.push(signal!);
      progress.resolve(() => onprogress!({ progress: 1 }));
      return never;
    },
    {},
    of,
  );
  const late = { kind: "timed out", message: "Tool 'x' of server 'one' timed out after 1s" };
  const ends = Promise.all([
    assert.rejects(quiet, late),
    assert.rejects(cancelled, { kind: "cancelled", message: "Call was cancelled" }),
    assert.rejects(aborted, { kind: "cancelled", message: "Call was cancelled" }),
    assert.rejects(long, { kind: "timed out", message: /timed out after 1800s in all$/ }),
  ]);
  stop.abort();
  const news = await progress.promise;
  for (let ms = 0; ms < maxCallMs; ms += 900) {
    assert.equal(signals[0]!.aborted, false);
    news();
    await clock.advance(900);
  }
  await ends;
  assert.deepEqual([signals[0]!.aborted, calls.size, clock.timers], [true, 0, []]);
});

Deno.test("RunningCalls says whether a server refused a call, was not reached, or may have carried it out", async () => {
  const status = (status: number) => Object.assign(new Error("busy"), { status });
  const rows: readonly [error: unknown, kind: string, message: RegExp, isKnown: boolean][] = [
    [new ProtocolError(-32602, "no such"), "refused", /refused: .*no such/, true],
    [status(429), "ended", /answered with HTTP 429: busy/, true],
    [status(503), "ended", /answered with HTTP 503: busy/, false],
    [new NetworkError("no way", "unsent"), "ended", /at the next call: no way/, true],
    [new NetworkError("it broke", "lost"), "ended", /gave no answer: it broke/, false],
    [
      new NetworkError("too long", "unread"),
      "ended",
      /answered, but its answer cannot be read: too long/,
      false,
    ],
    [new UpstreamError("gone\n  line", "ended"), "ended", /^gone/, false],
    [new UpstreamError("late", "timed out"), "timed out", /^late/, false],
    [new UpstreamError("stopped", "cancelled"), "cancelled", /^stopped/, true],
    [new Error("odd"), "ended", /gave no answer: odd/, false],
    [new Error("x".repeat(5000)), "ended", /gave no answer: x{300}/, false],
  ];
  for (const [error, kind, message, isKnown] of rows) {
    for (const mayChange of [true, false]) {
      const calls = new RunningCalls("one", new FakeClock());
      const send = () => Promise.reject(error);
      const call = { subject: "Tool 'x'", send, timeoutMs: 1000, caller: {}, mayChange };
      const failure = await failureOf(calls.run(connectionOf("modern"), call));
      assert.equal(failure.kind, kind);
      assert.match(failure.message, message);
      const isSaid = failure.firstLine.includes(unknownOutcome);
      assert.equal(isSaid, mayChange && !isKnown, failure.message);
    }
  }
});
