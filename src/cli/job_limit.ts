/** Background jobs and stored outputs of a process that serves: in memory, or with `--state` shared with other instances. */

import { type CallSettings, defaultCallSettings } from "../call/context.ts";
import { Jobs, jobsAmong } from "../jobs/jobs.ts";
import { UsageError } from "../errors.ts";
import { Outputs } from "../jobs/outputs.ts";
import type { SharedState } from "../state/shared_state.ts";

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

/** Opens a place for outputs, to be closed when no call runs; shares them and `jobs` within `scope` if there is a store. */
export async function openOutputs(jobs: Jobs, state: SharedState | undefined, scope = "") {
  const outputs = new Outputs();
  if (state !== undefined) {
    const [{ SharedOutputs }, { SharedJobs }] = await Promise.all([
      import("../jobs/shared/outputs.ts"),
      import("../jobs/shared/jobs.ts"),
    ]);
    const { store, whenDown } = state;
    outputs.share(new SharedOutputs({ store, scope, whenDown }));
    jobs.share(new SharedJobs({ store, scope, whenDown }));
  }
  return { outputs, close: () => outputs.close() };
}
