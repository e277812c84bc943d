/** Reports of progress: which, and when, by a clock that the tests move. */

import assert from "node:assert/strict";
import { maskUrlCredentials } from "../../../src/text/url_credentials.ts";
import type { ProgressEvent } from "../../../src/tool/runner.ts";
import { FakeClock } from "../../_clock.ts";
import { progressReporter } from "../../../src/sources/command/_run_plan.ts";

const encoder = new TextEncoder();

/** A reporter, its clock, and what it has sent. */
function watched() {
  const reports: ProgressEvent[] = [];
  const clock = new FakeClock();
  const reporter = progressReporter((report) => reports.push(report), { clock });
  const write = (text: string) => reporter.onOutput(encoder.encode(text));
  return { reporter, reports, write, clock };
}

function seen(reports: readonly ProgressEvent[]) {
  return reports.map(({ progress, message }) => [progress, message]);
}

Deno.test("progressReporter() reports at once, then after a fifth of a second, with what came last", async () => {
  const { reports, write, clock } = watched();
  write("one\n");
  assert.deepEqual(seen(reports), [[4, "one"]]);
  await clock.advance(150);
  write("two\nthree\nfo");
  write("ur");
  await clock.advance(49);
  assert.equal(reports.length, 1);
  await clock.advance(1);
  assert.deepEqual(seen(reports), [[4, "one"], [18, "three"]]);
  // A fifth of a second later, the next one goes at once again
  await clock.advance(200);
  write("s\n");
  assert.deepEqual(seen(reports).at(-1), [20, "fours"]);
});

Deno.test("progressReporter() counts bytes and never reports the same count twice", async () => {
  const { reports, write, clock } = watched();
  write("é\n");
  write("x");
  await clock.advance(1000);
  write("");
  await clock.advance(1000);
  assert.deepEqual(reports.map(({ progress }) => progress), [3, 4]);
});

Deno.test("progressReporter() sends nothing after stop()", async () => {
  const { reporter, reports, write, clock } = watched();
  write("one\n");
  write("two\n");
  reporter.stop();
  await clock.advance(1000);
  assert.deepEqual([reports.length, clock.timers], [1, []]);
});

Deno.test("progressReporter() shows no line whose beginning it has not kept", async () => {
  const { reporter, reports, clock } = watched();
  const chunk = encoder.encode("x".repeat(64 * 1024));
  for (let count = 0; count < 100; count++) reporter.onOutput(chunk);
  reporter.onOutput(encoder.encode("end\n"));
  await clock.advance(200);
  assert.deepEqual(seen(reports).at(-1), [64 * 1024 * 100 + 4, undefined]);
  reporter.onOutput(encoder.encode("10 %\r20 %\r30"));
  await clock.advance(200);
  assert.deepEqual([reports.at(-1)?.message, reports.at(-1)?.tail?.()], ["20 %", "30 %"]);
});

Deno.test("progressReporter() keeps no reference to the chunk, whose bytes are reused", async () => {
  const { reporter, reports, clock } = watched();
  const chunk = encoder.encode("first\nsecond\nun");
  reporter.onOutput(chunk);
  chunk.fill(0x21);
  reporter.onOutput(encoder.encode("done\n"));
  await clock.advance(200);
  assert.deepEqual(reports.map(({ message }) => message), ["second", "undone"]);
});

Deno.test("progressReporter() masks a line before it is cut", () => {
  const sent: (string | undefined)[] = [];
  const options = { mask: maskUrlCredentials };
  const reporter = progressReporter(({ message }) => sent.push(message), options);
  const line = `${"x".repeat(180)} https://me:secretsecret@host/\n`;
  reporter.onOutput(new TextEncoder().encode(line));
  reporter.stop();
  assert.deepEqual(sent, [`${"x".repeat(180)} https://***@host/`]);
});
