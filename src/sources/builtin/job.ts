/** `job_status`, `job_result`, `job_cancel` and `job_list`: the tools for background jobs. */

import { runningResult } from "../../call/running_result.ts";
import { type CallResult, textResult } from "../../tool/result.ts";
import type { ArgValues } from "../../tool/tool.ts";
import { type JobServices, secondsOf, stateOf, withJob } from "./job_services.ts";
import { numberIn } from "./output_services.ts";

/** Most milliseconds to wait for the end of a cancelled job; longer than a job should need. */
const cancelMs = 10_000;

/** Returns the state of a job. */
export function jobStatus(asking: JobServices, values: ArgValues): Promise<CallResult> {
  return withJob(asking, values, stateOf);
}

/** Returns the result of a job unchanged, or its state while it runs. */
export function jobResult(asking: JobServices, values: ArgValues): Promise<CallResult> {
  return withJob(asking, values, async (job, jobs) => {
    await jobs.wait(job, numberIn(values, "wait")! * 1000, asking.signal);
    return job.result ?? runningResult(job.view());
  });
}

/** Cancels a job, and says how it ended. */
export function jobCancel(asking: JobServices, values: ArgValues): Promise<CallResult> {
  return withJob(asking, values, async (job, jobs) => {
    job.stop();
    await jobs.wait(job, cancelMs, asking.signal);
    return stateOf(job);
  });
}

/** Lists the jobs of the client in the order of their start. */
export function jobList({ jobs, owner }: JobServices): CallResult {
  const rows = (jobs?.of(owner) ?? []).map((job) => {
    const view = job.view();
    return `${view.id} ${view.state} ${view.tool} ${secondsOf(job)}`;
  });
  return textResult(rows.length === 0 ? "[no jobs]" : rows.join("\n"));
}
