/** `job_status`, `job_result`, `job_cancel` and `job_list`: the tools for background jobs. */

import { runningResult } from "../../call/running_result.ts";
import { type FoundJob, Job } from "../../jobs/job.ts";
import { type CallResult, textOf, textResult } from "../../tool/result.ts";
import type { ArgValues } from "../../tool/tool.ts";
import { type JobServices, secondsOf, stateOf, stateText, withJob } from "./job_services.ts";
import { numberIn } from "./output_services.ts";
import { unreachable } from "./unreachable.ts";

/** Most milliseconds to wait for the end of a cancelled job; longer than a job should need. */
const cancelMs = 10_000;

/** Returns the state of a job. */
export function jobStatus(asking: JobServices, values: ArgValues): Promise<CallResult> {
  return withJob(asking, values, stateOf);
}

/** Returns the result of a job unchanged, or its state while it runs. */
export function jobResult(asking: JobServices, values: ArgValues): Promise<CallResult> {
  return withJob(asking, values, async (found, jobs) => {
    const ms = numberIn(values, "wait")! * 1000;
    const job = await jobs.wait(found, ms, asking.signal);
    if (job === undefined) return undefined;
    const view = job.view();
    if (view.state === "lost") return { ...stateOf(job), isError: true };
    return await jobs.resultOf(job) ?? (view.state === "running" ? runningResult(view) : undefined);
  });
}

/** Cancels a job, and says how it ended. */
export function jobCancel(asking: JobServices, values: ArgValues): Promise<CallResult> {
  return withJob(asking, values, async (found, jobs) => {
    const job = await jobs.cancel(found, cancelMs, asking.signal);
    if (job?.view().state !== "running" || job instanceof Job) return job && stateOf(job);
    const note = `[not cancelled yet: the instance that runs it has not answered in ${
      cancelMs / 1000
    } s]`;
    return { ...textResult(`${note}\n${stateText(job)}`, true), job: job.view() };
  });
}

/** Lists the jobs of the client in the order of their start. */
export async function jobList({ jobs, owner }: JobServices): Promise<CallResult> {
  const found: FoundJob[] = [...jobs?.of(owner) ?? []];
  const notes: string[] = [];
  try {
    found.push(...await jobs?.elsewhere(owner) ?? []);
  } catch (error) {
    notes.push(`[${textOf(unreachable("Jobs of other instances", error)).split("\n", 1)[0]}]`);
  }
  const views = found.map((job) => ({ ...job.view(), seconds: secondsOf(job) }));
  const rows = views.toSorted((one, other) => one.beganMs - other.beganMs)
    .map(({ id, state, tool, seconds }) => `${id} ${state} ${tool} ${seconds}`);
  return textResult([...rows.length === 0 ? ["[no jobs]"] : rows, ...notes].join("\n"));
}
