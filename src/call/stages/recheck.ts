/** Checks log, policy and catalogue again: each may have changed while the call waited. */

import { refused, type ScheduledCall, type Stage, unaudited } from "../pipeline.ts";
import { isRefused } from "../refusal.ts";
import { revalidate } from "../revalidate.ts";
import { closedGate } from "./gate.ts";

export const recheck: Stage<ScheduledCall> = async (call, next) => {
  const { context, index, options } = call;
  const reason = context.audit?.catchUp();
  if (reason !== undefined) return unaudited(`Call refused: ${reason}`);
  const closed = closedGate(context);
  if (closed !== undefined) return refused(call, closed);
  if (context.index === index || options.signal?.aborted) return await next(call);
  const now = await revalidate(call);
  return isRefused(now) ? refused(call, now) : await next({ ...call, ...now });
};
