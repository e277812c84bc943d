import assert from "node:assert/strict";
import { maskUrlCredentials } from "../../../src/text/url_credentials.ts";
import { ProgressReporter } from "../../../src/sources/command/progress.ts";
import type { ProgressEvent } from "../../../src/tool/runner.ts";

const encoder = new TextEncoder();

/** A reporter, what it has sent and when, and the next report to come. */
function watched() {
  const reports: (ProgressEvent & { at: number })[] = [];
  let arrived = Promise.withResolvers<void>();
  const reporter = new ProgressReporter((report) => {
    reports.push({ ...report, at: performance.now() });
    arrived.resolve();
    arrived = Promise.withResolvers();
  });
  const write = (text: string, stream: "stdout" | "stderr" = "stdout") => {
    reporter.onOutput(encoder.encode(text), stream);
  };
  return { reporter, reports, write, next: () => arrived.promise };
}

function seen(reports: readonly ProgressEvent[]) {
  return reports.map(({ progress, message }) => [progress, message]);
}

Deno.test("ProgressReporter reports at once, then after a fifth of a second, with what came last", async () => {
  const { reporter, reports, write, next } = watched();
  write("one\n");
  assert.deepEqual(seen(reports), [[4, "one"]]);
  const second = next();
  write("two\nthree\nfo");
  write("ur");
  assert.equal(reports.length, 1);
  await second;
  assert.deepEqual(seen(reports), [[4, "one"], [18, "three"]]);
  // Timers count whole milliseconds
  assert.ok(reports[1]!.at - reports[0]!.at >= 199);
  reporter.stop();
});

Deno.test("ProgressReporter joins a line that came in pieces, each stream for itself", async () => {
  const { reporter, reports, write, next } = watched();
  write("be");
  assert.deepEqual(seen(reports), [[2, undefined]]);
  const second = next();
  write("noise on the other", "stderr");
  write("gi");
  write("n\nrest");
  await second;
  assert.equal(reports[1]!.message, "begin");
  const third = next();
  write(" end\n", "stderr");
  await third;
  assert.equal(reports[2]!.message, "noise on the other end");
  reporter.stop();
});

Deno.test("ProgressReporter counts bytes and never reports the same count twice", async () => {
  const { reporter, reports, write, next } = watched();
  write("é\n");
  const second = next();
  write("x");
  await second;
  assert.deepEqual(reports.map(({ progress }) => progress), [3, 4]);
  reporter.stop();
});

Deno.test("ProgressReporter sends nothing after stop()", async () => {
  const { reporter, reports, write } = watched();
  write("one\n");
  write("two\n");
  reporter.stop();
  await new Promise((resolve) => setTimeout(resolve, 250));
  assert.equal(reports.length, 1);
});

Deno.test("ProgressReporter reports lines without control sequences and of bounded length", () => {
  const { reporter, reports, write } = watched();
  write(`\x1b[31m${"long ".repeat(2000)}\x1b[0m\n`);
  assert.equal(reports[0]!.message!.length, 200);
  assert.match(reports[0]!.message!, /^(?:long )+[long ]*…$/);
  reporter.stop();
});

Deno.test("ProgressReporter remembers the beginning of a line that does not end soon", async () => {
  const { reporter, reports, next } = watched();
  const chunk = encoder.encode("x".repeat(64 * 1024));
  for (let count = 0; count < 100; count++) reporter.onOutput(chunk, "stdout");
  const last = next();
  reporter.onOutput(encoder.encode("end\n"), "stdout");
  await last;
  assert.deepEqual(seen(reports).at(-1), [64 * 1024 * 100 + 4, `${"x".repeat(199)}…`]);
  reporter.stop();
});

Deno.test("ProgressReporter keeps no reference to the chunk, whose bytes are reused", async () => {
  const { reporter, reports, next } = watched();
  const chunk = encoder.encode("first\nsecond\nun");
  reporter.onOutput(chunk, "stdout");
  chunk.fill(0x21);
  const second = next();
  reporter.onOutput(encoder.encode("done\n"), "stdout");
  await second;
  assert.deepEqual(reports.map(({ message }) => message), ["second", "undone"]);
  reporter.stop();
});

Deno.test("ProgressReporter masks a line before it is cut", () => {
  const sent: (string | undefined)[] = [];
  const reporter = new ProgressReporter(({ message }) => sent.push(message), maskUrlCredentials);
  const line = `${"x".repeat(180)} https://me:secretsecret@host/\n`;
  reporter.onOutput(new TextEncoder().encode(line), "stdout");
  reporter.stop();
  assert.deepEqual(sent, [`${"x".repeat(180)} https://***@host/`]);
});
