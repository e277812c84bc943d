/** Stores the result of a background job, after the inner stages have seen how the call ended. */

import { messageOf } from "../../errors.ts";
import { log } from "../../log.ts";
import { textResult } from "../../tool/result.ts";
import type { Job } from "../../jobs/job.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import type { Outcome, ReceivedCall, Stage } from "../pipeline.ts";
import { resultOf } from "../result_of.ts";

export const settleJob: Stage<ReceivedCall> = async (call, next) => {
  const outcome = await next(call);
  if (outcome.kind === "background") {
    void settle(call.context.background!.jobs, outcome.job, outcome.completion);
  }
  return outcome;
};

async function settle(jobs: Jobs, job: Job, completion: Promise<Outcome>): Promise<void> {
  try {
    jobs.end(job, resultOf(await completion));
  } catch (error) {
    // The caller waits for nothing: the log and the result are the only reports
    log("error", `job ${job.id}: ${messageOf(error)}`);
    jobs.end(job, textResult(`Call failed: ${messageOf(error)}`, true));
  }
}
