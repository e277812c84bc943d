/** Waits for the permits of the call, and releases them when it has run. */

import { completed, notStarted, type ScheduledCall, type Stage } from "../pipeline.ts";
import type { AcquireFailure, FairSemaphore, Release, Waiter } from "../../async/semaphore.ts";

const tooManyWaiting = notStarted(
  "Command could not be started: too many calls are waiting, try again later",
);

export const schedule: Stage<ScheduledCall> = async (call, next) => {
  const { context, tool, plan, options } = call;
  const release = await acquireAll([
    // The tool first, so that callers of a serial tool do not hold permits that others need
    context.toolPermits.of(tool),
    call.jobPermits,
    plan.needsPermit === false ? undefined : context.semaphore,
  ], options);
  if (release === "full") return completed(call, tooManyWaiting);
  try {
    await options.mayStart?.();
    return await next(call);
  } finally {
    if (release !== "cancelled") release();
  }
};

/** Acquires a permit of each semaphore, in that order. */
async function acquireAll(
  semaphores: readonly (FairSemaphore | undefined)[],
  waiter: Waiter,
): Promise<Release | AcquireFailure> {
  const permits: Release[] = [];
  const release = () => permits.toReversed().forEach((permit) => permit());
  for (const semaphore of semaphores) {
    if (semaphore === undefined) continue;
    const permit = await semaphore.acquire(waiter);
    if (typeof permit === "string") {
      release();
      return permit;
    }
    permits.push(permit);
  }
  return release;
}
