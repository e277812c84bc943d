/** What is read of the log messages of a server. */

import assert from "node:assert/strict";
import { LogReader } from "../../../src/sources/upstream/notifications.ts";
import type { LogMessage } from "../../../src/tool/runner.ts";
import { FakeClock } from "../../_clock.ts";

Deno.test("LogReader reads what is a message, at most 100 in a second", async () => {
  const clock = new FakeClock();
  const logs = new LogReader("one", clock);
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
});
