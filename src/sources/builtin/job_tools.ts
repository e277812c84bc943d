/** Does the work of `job_status`, `job_result`, `job_cancel` and `job_list`, the tools for background jobs. */

import { lastLine, resultOfRunning } from "../../call/pipeline.ts";
import { type FoundJob, Job } from "../../jobs/job.ts";
import { type CallResult, type JobView, textOf, textResult } from "../../tool/result.ts";
import type { ArgValues } from "../../tool/tool.ts";
import { numberOf, unreachable } from "./output_tools.ts";
import { cancelTool, type Jobs, resultTool } from "../../jobs/jobs.ts";
import { quote } from "../../text/excerpt.ts";
import { formatCall } from "../../text/shell_word.ts";

/** Most milliseconds to wait for the end of a cancelled job. */
const cancelMs = 10_000;

/** Returns the state of a job. */
export function jobStatus(asking: JobServices, values: ArgValues): Promise<CallResult> {
  return withJob(asking, values, (job) => stateOf(job, numberOf(values, "lines")));
}

/** Returns the result of a job unchanged, or its state while it runs. */
export function jobResult(asking: JobServices, values: ArgValues): Promise<CallResult> {
  return withJob(asking, values, async (found, jobs) => {
    const ms = numberOf(values, "wait")! * 1000;
    const job = await jobs.wait(found, ms, asking.signal);
    if (job === undefined) return undefined;
    const view = job.view();
    if (view.state === "lost") return { ...stateOf(job), isError: true };
    return await jobs.resultOf(job) ??
      (view.state === "running" ? resultOfRunning(view, outputOf(job, 20)) : undefined);
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
    found.push(...await jobs?.ofOtherInstances(owner) ?? []);
  } catch (error) {
    notes.push(`[${textOf(unreachable("Jobs of other instances", error)).split("\n", 1)[0]}]`);
  }
  const views = found.map((job) => ({ ...job.view(), seconds: secondsOf(job) }));
  const rows = views.toSorted((one, other) => one.beganMs - other.beganMs)
    .map(({ id, state, tool, seconds }) => `${id} ${state} ${tool} ${seconds}`);
  return textResult([...rows.length === 0 ? ["[no jobs]"] : rows, ...notes].join("\n"));
}

/** The services for one call about jobs. */
export interface JobServices {
  /** Absent: there are no background jobs. */
  readonly jobs?: Jobs | undefined;
  readonly owner?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Calls `use` with the job that `values` name. `use` returns nothing if the job was evicted meanwhile. */
async function withJob(
  { jobs, owner }: JobServices,
  values: ArgValues,
  use: (job: FoundJob, jobs: Jobs) => CallResult | undefined | Promise<CallResult | undefined>,
): Promise<CallResult> {
  const id = String(values.get("id"));
  try {
    const job = await jobs?.find(id, owner);
    const result = jobs && job && await use(job, jobs);
    if (result !== undefined) return result;
  } catch (error) {
    return unreachable(`Job ${quote(id)}`, error);
  }
  const reason = `Job ${quote(id)} not found: it belongs to another client, or was evicted`;
  return textResult(reason, true);
}

function stateOf(job: FoundJob, lines?: number): CallResult {
  return { ...textResult(stateText(job, lines)), job: job.view() };
}

/** `lines`: how many of the output are shown, where they are known; only the last without it. */
function stateText(job: FoundJob, lines = 0): string {
  const view = job.view();
  const { id, tool, state } = view;
  const after = secondsOf(job);
  if (state === "lost") return [...lastLine(view), explainLost(view, after)].join("\n");
  if (state === "running") {
    const calls = [formatCall(resultTool, { id, wait: 45 }), formatCall(cancelTool, { id })]
      .join(", ");
    return [...outputOf(job, lines), `[${tool} has been running for ${after}: ${calls}]`].join(
      "\n",
    );
  }
  const how = state === "cancelled"
    ? "was cancelled"
    : job.isError
    ? "ended with an error"
    : "has finished";
  return `[${tool} ${how} after ${after}: ${formatCall(resultTool, { id })}]`;
}

/** Returns the last `lines` of the output of a job, where they are known, or else the last one. */
function outputOf(job: FoundJob, lines: number): string[] {
  const shown = lines > 0 && job instanceof Job ? job.lastLines(lines) : "";
  return shown === "" ? lastLine(job.view()) : [shown];
}

/** Says what is known of a job whose instance does not answer any more. */
function explainLost({ tool, heardMs }: JobView, after: string): string {
  const since = new Date(heardMs).toISOString();
  return `[${tool} is lost after ${after}: the instance that ran it has not been heard of since ${since}. ` +
    "It may have run in part, or still run. Look at what it did before you call it again]";
}

/** Returns how long a job has run. */
export function secondsOf({ ranMs }: FoundJob): string {
  return `${Math.round(ranMs / 100) / 10} s`;
}
