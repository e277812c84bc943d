/** Reloads configs and policy if their files have changed. */

import type { ReceivedCall, Stage } from "../pipeline.ts";

export const refresh: Stage<ReceivedCall> = async (call, next) => {
  await call.context.gate.refresh?.(call.arrivedAt);
  return await next(call);
};
