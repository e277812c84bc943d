/** The calls that may go on behind their answers while a process serves. */

import { type CallSettings, defaultCallSettings } from "../call/context.ts";
import { Jobs, jobsAmong } from "../call/jobs.ts";
import { UsageError } from "../errors.ts";

/** The jobs of a process whose calls have these settings. */
export function jobsOf(calls: Partial<CallSettings> | undefined): Jobs {
  const { concurrency, jobs } = { ...defaultCallSettings, ...calls };
  return new Jobs({ running: jobs ?? jobsAmong(concurrency) });
}

/** Refuses jobs that could take every place. @throws {UsageError} */
export function checkJobs({ concurrency = 0, jobs = 0 }: Partial<CallSettings>): void {
  if (jobs === 0 || jobs < concurrency) return;
  throw new UsageError(
    `--jobs ${jobs} could take every place of --concurrency ${concurrency}`,
    "Leave at least one place to calls that are waited for",
  );
}
