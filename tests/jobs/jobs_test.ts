/** What is kept of jobs: whose they are, how many, how much, how long. */

import assert from "node:assert/strict";
import type { Job, JobBounds } from "../../src/jobs/job.ts";
import { Jobs, jobsAmong } from "../../src/jobs/jobs.ts";
import { textOf, textResult } from "../../src/tool/result.ts";
import { FakeClock } from "../_clock.ts";

/** Their time stands still, unless the test gives a clock and moves it. */
function jobsWith(bounds: Partial<JobBounds> = {}, clock = new FakeClock()): Jobs {
  return new Jobs({ running: 4, ...bounds }, clock);
}

function begin(jobs: Jobs, owner?: string, stop = () => {}): Job {
  const beganMs = jobs.clock.now();
  return jobs.begin({ tool: "build", owner, timeoutMs: 1000, beganMs, stop });
}

Deno.test("jobsAmong() leaves permits to other calls", () => {
  const table = [[1, 0], [2, 1], [3, 1], [16, 8]] as const;
  for (const [concurrency, jobs] of table) assert.equal(jobsAmong(concurrency), jobs);
  assert.equal(new Jobs({ running: 0 }).isOpen, false);
});

Deno.test("Jobs shows a job to its owner alone, in every state", async () => {
  const jobs = jobsWith();
  const job = begin(jobs, "ada");
  assert.match(job.id, /^j[0-9a-z]{12}$/);
  const looks = () => {
    assert.equal(jobs.get(job.id, "ada"), job);
    assert.deepEqual(jobs.of("ada"), [job]);
    for (const other of [undefined, "", "bob"]) {
      assert.equal(jobs.get(job.id, other), undefined);
      assert.deepEqual(jobs.of(other), []);
    }
  };
  looks();
  assert.equal(jobs.running, 1);
  jobs.end(job, textResult("done"));
  await job.ended;
  looks();
  assert.equal(jobs.running, 0);
  assert.equal(textOf(job.result!), "done");
});

Deno.test("Jobs has how a job ended", () => {
  const jobs = jobsWith();
  const states = ([["cancelled", "cancelled"], ["exited", "finished"]] as const).map(
    ([ending, state]) => {
      const job = begin(jobs);
      assert.equal(job.view().state, "running");
      job.hear("half way");
      jobs.end(job, { ...textResult("", true), record: { ending } });
      assert.equal(job.view().state, state);
      return job.view().lastLine;
    },
  );
  assert.deepEqual(states, ["half way", "half way"]);
});

Deno.test("Jobs stores a bounded number of ended jobs, and evicts the oldest of the owner with most", () => {
  const jobs = jobsWith({ ended: 3 });
  const bobs = begin(jobs, "bob");
  jobs.end(bobs, textResult("mine"));
  const adas = Array.from({ length: 10 }, () => begin(jobs, "ada"));
  for (const job of adas) jobs.end(job, textResult("done"));
  assert.deepEqual(jobs.of("ada"), adas.slice(-2));
  // However much another has
  assert.deepEqual(jobs.of("bob"), [bobs]);
});

Deno.test("Jobs stores bounded bytes, and says that a result was discarded", () => {
  const jobs = jobsWith({ bytes: 1000 });
  const end = (text: string, owner = "ada") => {
    const job = begin(jobs, owner);
    jobs.end(job, textResult(text));
    return job;
  };
  const bobs = end("x".repeat(300), "bob");
  const first = end("x".repeat(500));
  const second = end("x".repeat(500));
  assert.equal(jobs.get(first.id, "ada"), undefined);
  assert.deepEqual([...jobs.of("ada"), ...jobs.of("bob")], [second, bobs]);
  const large = end("é".repeat(600));
  const { result } = large;
  assert.match(textOf(result!), /^Result discarded: 1,2\d\d bytes exceeds the limit of 1,000$/);
  assert.equal(result!.isError, true);
  assert.deepEqual(jobs.of("ada"), [second, large]);
});

Deno.test("Jobs removes each ended job on time, and none that runs", async () => {
  const clock = new FakeClock();
  const jobs = jobsWith({ ageMs: 1000 }, clock);
  const [running, first, second] = [begin(jobs), begin(jobs), begin(jobs)];
  jobs.end(first, textResult("done"));
  await clock.advance(400);
  jobs.end(second, textResult("done"));
  await clock.advance(599);
  assert.deepEqual(jobs.of(), [running, first, second]);
  await clock.advance(1);
  assert.equal(jobs.get(first.id), undefined);
  assert.deepEqual(jobs.of(), [running, second]);
  // The rest without a request
  await clock.advance(1000);
  assert.deepEqual(clock.timers, []);
  assert.deepEqual(jobs.of(), [running]);
});

Deno.test("Jobs waits for the end of a job, until a timeout or an abort", async () => {
  const clock = new FakeClock();
  const jobs = jobsWith({}, clock);
  const job = begin(jobs);
  const short = jobs.wait(job, 1000);
  await clock.advance(1000);
  await short;
  const gone = new AbortController();
  const waiting = jobs.wait(job, 60_000, gone.signal);
  gone.abort();
  await waiting;
  await jobs.wait(job, 60_000, gone.signal);
  const other = jobs.wait(job, 60_000);
  jobs.end(job, textResult("done"));
  await other;
});

Deno.test("Jobs bounds waiting calls, and accepts others when they have ended", async () => {
  const jobs = jobsWith({ waiting: 2 });
  const job = begin(jobs);
  const gone = new AbortController();
  const waiting = [1, 2].map(() => jobs.wait(job, 60_000, gone.signal));
  // Answered at once: time stands still
  await jobs.wait(job, 60_000);
  gone.abort();
  await Promise.all(waiting);
  const again = jobs.wait(job, 60_000);
  jobs.end(job, textResult("done"));
  await again;
});

Deno.test("Jobs ends every job when it is closed, and accepts no others", async () => {
  const jobs = jobsWith();
  const job: Job = begin(jobs, "ada", () => jobs.end(job, textResult("stopped", true)));
  const over = begin(jobs);
  jobs.end(over, textResult("done"));
  await jobs.close();
  assert.equal(textOf(job.result!), "stopped");
  assert.equal(jobs.isOpen, false);
  assert.deepEqual([...jobs.of("ada"), ...jobs.of()], []);
});
