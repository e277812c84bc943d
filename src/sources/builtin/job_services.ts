/** Shared by the tools for jobs: finds the job, and describes its state. */

import type { FoundJob } from "../../jobs/job.ts";
import { cancelTool, type Jobs, resultTool } from "../../jobs/jobs.ts";
import { lastLine } from "../../call/running_result.ts";
import { quote } from "../../text/excerpt.ts";
import { writtenCall } from "../../text/written_call.ts";
import { unreachable } from "./unreachable.ts";
import { type CallResult, type JobView, textResult } from "../../tool/result.ts";
import type { ArgValues } from "../../tool/tool.ts";

/** The services for one call about jobs. */
export interface JobServices {
  /** Absent: there are no background jobs. */
  readonly jobs?: Jobs | undefined;
  readonly owner?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Calls `use` with the job that `values` name. It returns nothing if the job was evicted meanwhile. */
export async function withJob(
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

/** The state of a job as a result. */
export function stateOf(job: FoundJob): CallResult {
  return { ...textResult(stateText(job)), job: job.view() };
}

/** The state as text, and the next call. */
export function stateText(job: FoundJob): string {
  const view = job.view();
  const { id, tool, state } = view;
  const after = secondsOf(job);
  if (state === "lost") return [...lastLine(view), lostText(view, after)].join("\n");
  if (state === "running") {
    const calls = [writtenCall(resultTool, { id, wait: 60 }), writtenCall(cancelTool, { id })]
      .join(", ");
    return [...lastLine(view), `[${tool} has been running for ${after}: ${calls}]`].join("\n");
  }
  const how = state === "cancelled"
    ? "was cancelled"
    : job.isError
    ? "ended with an error"
    : "has finished";
  return `[${tool} ${how} after ${after}: ${writtenCall(resultTool, { id })}]`;
}

/** What is known of a job whose instance gives no sign of life. */
function lostText({ tool, heardMs }: JobView, after: string): string {
  const since = new Date(heardMs).toISOString();
  return `[${tool} is lost after ${after}: the instance that ran it has not been heard of since ${since}. ` +
    "It may have run in part, or still run. Look at what it did before you call it again]";
}

/** The seconds that a job has run. */
export function secondsOf({ ranMs }: FoundJob): string {
  return `${Math.round(ranMs / 100) / 10} s`;
}
