/** Ages and timers, and the files that read the clock of the machine, which anybody may set. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { Jobs } from "../../src/jobs/jobs.ts";
import { Outputs } from "../../src/jobs/outputs.ts";
import { repeat, systemClock } from "../../src/async/clock.ts";
import { secondsOf } from "../../src/sources/builtin/tools.ts";
import { textResult } from "../../src/tool/result.ts";
import { FakeClock } from "../_clock.ts";
import { root } from "../_fixtures.ts";
import { QuestionTokens } from "../../src/server/_question_tokens.ts";

const hoursMs = 2 * 60 * 60 * 1000;

/** The clock of the machine is set by `shiftMs` for as long as `use` takes. */
function whileSet<Result>(shiftMs: number, use: () => Result): Result {
  const real = Date.now;
  Date.now = () => real() + shiftMs;
  try {
    return use();
  } finally {
    Date.now = real;
  }
}

Deno.test("systemClock keeps a process for its deadlines in order, and for no cancelled one", async () => {
  const script = `import { systemClock } from "${new URL(
    "../../src/async/clock.ts",
    import.meta.url,
  )}";
    const after = (ms) => systemClock.after(ms, () => console.log(ms));
    // All of them are set in the same instant, however long that takes
    const instant = performance.now();
    performance.now = () => instant;
    for (const ms of [60_000, 1000]) after(ms)();
    const cancel = after(1002);
    systemClock.after(1001, () => cancel());
    for (const ms of [1100, 1000]) after(ms);
    delete performance.now;`;
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["eval", script] }).output();
  assert.equal(new TextDecoder().decode(stdout), "1000\n1100\n");
});

Deno.test("repeat() fires until it is cancelled, by its own call too", async () => {
  const clock = new FakeClock();
  const start = clock.now();
  const fired: number[] = [];
  const cancel = repeat(clock, 100, () => {
    fired.push(clock.now() - start);
    if (fired.length === 3) cancel();
  });
  await clock.advance(1000);
  assert.deepEqual([fired, clock.timers], [[100, 200, 300], []]);
});

for (const shiftMs of [-hoursMs, hoursMs]) {
  const set = `a clock that is set by ${shiftMs / 3_600_000} hours`;

  Deno.test(`jobs keep their ages with ${set}`, () => {
    const jobs = new Jobs({ running: 2 });
    const beganMs = systemClock.now();
    const job = jobs.begin({ tool: "t", owner: "", timeoutMs: 1000, beganMs, stop: () => {} });
    whileSet(shiftMs, () => {
      assert.match(secondsOf(job), /^\d\.?\d* s$/);
      jobs.end(job, textResult("done"));
      assert.equal(jobs.get(job.id), job);
      assert.match(secondsOf(job), /^\d\.?\d* s$/);
    });
  });

  Deno.test(`outputs are kept as long as before with ${set}`, async () => {
    const store = new Outputs();
    const { id } = (await store.store("kept"))!;
    assert.equal(whileSet(shiftMs, () => store.read(id)), "kept");
    await store.close();
  });

  Deno.test(`tokens last as long as before with ${set}`, () => {
    const tokens = new QuestionTokens(systemClock, undefined);
    const readWhileSet = (token: string) => whileSet(shiftMs, () => tokens.read(token, "text"));
    const { token, id } = tokens.issue("text", 60_000, { question: "q" });
    const payload = readWhileSet(token);
    assert.equal(typeof payload === "string" ? payload : payload.id, id);
    const other = tokens.issue("text", -1, { question: "q" });
    assert.match(String(readWhileSet(other.token)), /came too late/);
  });
}

Deno.test("the clock of the machine is asked for dates alone", () => {
  const asking = filesBelow(join(root, "src")).filter((file) => {
    return /\bDate\.now\(\)/.test(Deno.readTextFileSync(file));
  });
  assert.deepEqual(asking.map((file) => file.slice(root.length).replaceAll("\\", "/")).toSorted(), [
    // Entries of a log have dates, of this process and of earlier ones
    "src/call/call_history.ts",
    // Another process has written since when a call waits
    "src/cli/commands/approve.ts",
    // A file's time is of that clock
    "src/session/watch_files.ts",
    // What was kept on disk is as old as the date in it
    "src/sources/upstream/listing.ts",
    // So is what ends with a token
    "src/sources/upstream/login/log_in.ts",
    "src/sources/upstream/login/logins.ts",
  ]);
});

function filesBelow(folder: string): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) => {
    const path = join(folder, name);
    return isDirectory ? filesBelow(path) : path.endsWith(".ts") ? [path] : [];
  });
}
