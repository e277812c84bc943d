/** Refuses every call while the policy cannot be read. */

import type { CallContext } from "../context.ts";
import { type ReceivedCall, refused, type Stage } from "../pipeline.ts";
import { refusal, type RefusedCall } from "../refusal.ts";

export const gate: Stage<ReceivedCall> = async (call, next) => {
  const closed = closedGate(call.context);
  return closed === undefined ? await next(call) : refused(call, closed);
};

export function closedGate({ gate: { closed } }: CallContext): RefusedCall | undefined {
  return closed === undefined
    ? undefined
    : refusal(`Call refused: ${closed}`, "policy cannot be read");
}
