/** Shared by the tools for jobs: finds the job, and describes its state. */

import type { Job } from "../../jobs/job.ts";
import { cancelTool, type Jobs, resultTool } from "../../jobs/jobs.ts";
import { lastLine } from "../../call/running_result.ts";
import { quote } from "../../text/excerpt.ts";
import { writtenCall } from "../../text/written_call.ts";
import { type CallResult, textResult } from "../../tool/result.ts";
import type { ArgValues } from "../../tool/tool.ts";

/** The services for one call about jobs. */
export interface JobServices {
  /** Absent: there are no background jobs. */
  readonly jobs?: Jobs | undefined;
  readonly owner?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Calls `use` with the job that `values` name. */
export async function withJob(
  { jobs, owner }: JobServices,
  values: ArgValues,
  use: (job: Job, jobs: Jobs) => CallResult | Promise<CallResult>,
): Promise<CallResult> {
  const id = String(values.get("id"));
  const job = jobs?.get(id, owner);
  if (jobs !== undefined && job !== undefined) return await use(job, jobs);
  const reason = `Job ${quote(id)} not found: it belongs to another client, or was evicted`;
  return textResult(reason, true);
}

/** The state of a job as a result. */
export function stateOf(job: Job): CallResult {
  return { ...textResult(stateText(job)), job: job.view() };
}

/** The state as text, and the next call. */
function stateText(job: Job): string {
  const [view, { result }] = [job.view(), job];
  const { id, tool } = view;
  const after = secondsOf(job);
  if (result === undefined) {
    const calls = [writtenCall(resultTool, { id, wait: 60 }), writtenCall(cancelTool, { id })]
      .join(", ");
    return [...lastLine(view), `[${tool} has been running for ${after}: ${calls}]`].join("\n");
  }
  const how = view.state === "cancelled" ? "was cancelled" : endOf(result);
  return `[${tool} ${how} after ${after}: ${writtenCall(resultTool, { id })}]`;
}

function endOf({ isError }: CallResult): string {
  return isError ? "ended with an error" : "has finished";
}

/** The seconds that a job has run. */
export function secondsOf({ ranMs }: Job): string {
  return `${Math.round(ranMs / 100) / 10} s`;
}
