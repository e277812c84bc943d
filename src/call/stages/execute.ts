/** Runs the plan of a call. */

import { log } from "../../log.ts";
import { completed, type Outcome, type ScheduledCall, unaudited } from "../pipeline.ts";

export async function execute(call: ScheduledCall): Promise<Outcome> {
  const { plan, options } = call;
  const unrecorded = call.onStart?.();
  if (unrecorded !== undefined) return unaudited(`Call refused: ${unrecorded}`);
  log("debug", `running ${plan.preview.line}`);
  // The plan of a call that was cancelled during the wait says so
  return completed(call, await plan.run({ ...options, callerContext: call.context }));
}
