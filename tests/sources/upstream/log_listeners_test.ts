/** Who receives log messages of servers, and the level that servers are asked for. */

import assert from "node:assert/strict";
import { FakeClock } from "../../_clock.ts";
import type { UpstreamConnection } from "../../../src/sources/upstream/connection.ts";
import { LogListeners, LogMessages } from "../../../src/sources/upstream/notifications.ts";
import { type LogMessage, logSeverities, type LogSeverity } from "../../../src/tool/runner.ts";

function heard(listeners: LogListeners, owner?: string) {
  const levels: LogSeverity[] = [];
  const listener = listeners.add(({ level }) => void levels.push(level), owner);
  return { ...listener, take: () => levels.splice(0) };
}

Deno.test("LogListeners passes to each what it asked for, and nothing of another person", () => {
  const listeners = new LogListeners();
  const [one, two, unasking, ada] = [
    heard(listeners),
    heard(listeners),
    heard(listeners),
    heard(listeners, "ada"),
  ];
  one.setLevel("error");
  two.setLevel("debug");
  ada.setLevel("debug");
  const say = (owner?: string) => {
    for (const level of logSeverities) listeners.pass({ level, data: 1 }, owner);
  };
  say();
  assert.deepEqual(one.take(), ["error", "critical", "alert", "emergency"]);
  assert.deepEqual(two.take(), logSeverities);
  assert.deepEqual(unasking.take(), logSeverities.slice(1));
  assert.deepEqual(ada.take(), []);
  say("ada");
  assert.deepEqual([one.take(), ada.take()], [[], logSeverities]);
  two.stop();
  say();
  assert.deepEqual(two.take(), []);
});

/** A connection to a server that takes levels. */
function connection(sent: string[], { logs = true, era = "legacy", fails = false } = {}) {
  return {
    client: {
      getServerCapabilities: () => logs ? { logging: {} } : {},
      getProtocolEra: () => era,
      setLoggingLevel(level: string) {
        sent.push(level);
        return fails ? Promise.reject(new Error("not today")) : Promise.resolve({});
      },
    },
  } as unknown as UpstreamConnection;
}

Deno.test("LogMessages sends each level once, and again to the next connection", () => {
  const sent: string[] = [];
  const listeners = new LogListeners();
  const listener = listeners.add(() => {});
  const logs = new LogMessages("one", { clock: new FakeClock(), listeners });
  logs.onOpen(connection(sent));
  assert.deepEqual(sent, []);
  for (const level of ["debug", "debug", "error"] as const) listener.setLevel(level);
  listener.stop();
  assert.deepEqual(sent, ["debug", "error"]);
  const next = listeners.add(() => {});
  next.setLevel("info");
  logs.onOpen(connection(sent, { fails: true }));
  assert.deepEqual(sent.splice(0), ["debug", "error", "info", "info"]);
  logs.onOpen(connection(sent, { logs: false }));
  logs.onOpen(connection(sent, { era: "modern" }));
  assert.deepEqual(sent, []);
  logs.onOpen(connection(sent));
  logs.close();
  next.setLevel("alert");
  assert.deepEqual(sent, ["info"]);
});

Deno.test("LogMessages tells a server the level when a client joins or leaves", () => {
  const sent: string[] = [];
  const listeners = new LogListeners();
  const one = listeners.add(() => {});
  new LogMessages("one", { clock: new FakeClock(), listeners }).onOpen(connection(sent));
  one.setLevel("error");
  const two = listeners.add(() => {});
  two.stop();
  listeners.add(() => {}).setLevel("debug");
  assert.deepEqual(sent, ["error", "info", "error", "info", "debug"]);
});

Deno.test("LogMessages reads what is a message, at most 100 in a second", async () => {
  const clock = new FakeClock();
  const listeners = new LogListeners();
  const logs = new LogMessages("one", { clock, listeners, owner: "ada" });
  const rows: readonly [params: unknown, message: LogMessage | undefined][] = [
    [undefined, undefined],
    [{ level: "loud", data: 1 }, undefined],
    [{ level: "info", logger: 5 }, { level: "info", logger: "one", data: null }],
    [{ level: "error", logger: "db\x1b[2J", data: { a: "\x1b[2Jx" } }, {
      level: "error",
      logger: "one: db",
      data: { a: "x" },
    }],
    [{ level: "info", data: "x".repeat(9_998) }, {
      level: "info",
      logger: "one",
      data: "x".repeat(9_998),
    }],
    [{ level: "info", data: "x".repeat(9_999) }, {
      level: "info",
      logger: "one",
      data: `"${"x".repeat(9_999)}…`,
    }],
  ];
  for (const [params, message] of rows) assert.deepEqual(logs.read(params), message);
  const room = () => {
    let count = 0;
    while (logs.read({ level: "info" }) !== undefined) count++;
    return count;
  };
  assert.equal(room(), 96);
  await clock.advance(999);
  assert.equal(room(), 0);
  await clock.advance(1);
  assert.equal(room(), 100);
  const heard: LogMessage[] = [];
  listeners.add((message) => void heard.push(message), "ada");
  logs.pass(rows[2]![1]!);
  assert.deepEqual(heard, [rows[2]![1]]);
});
