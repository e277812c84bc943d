/** Background jobs of a process that serves. */

import { type CallSettings, defaultCallSettings } from "../call/context.ts";
import { Jobs, jobsAmong } from "../jobs/jobs.ts";
import { UsageError } from "../errors.ts";

/** Creates the job store of a process with these settings; `other` is one that it shares permits with. */
export function jobsOf(calls: Partial<CallSettings> | undefined, other?: Jobs): Jobs {
  const { concurrency, jobs } = { ...defaultCallSettings, ...calls };
  const running = jobs ?? jobsAmong(concurrency);
  return new Jobs({ running }, other?.clock, other?.semaphore);
}

/** Refuses so many background jobs that no other call could run. @throws {UsageError} */
export function checkJobs({ concurrency = 0, jobs = 0 }: Partial<CallSettings>): void {
  if (jobs === 0 || jobs < concurrency) return;
  throw new UsageError(
    `--max-background-jobs (${jobs}) must be less than --concurrency (${concurrency})`,
    "Lower --max-background-jobs, or raise --concurrency",
  );
}
