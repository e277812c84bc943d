/** Plans a call again after a wait for a person or a permit: the catalogue may have changed. */

import { subjectOf } from "./consent.ts";
import type { PlannedCall } from "./pipeline.ts";
import { prepareCall } from "./prepare.ts";
import { isRefused, refusal, type RefusedCall } from "./refusal.ts";

/** Returns the call over the current catalogue if its preview is the same, or a refusal. */
export async function revalidate(call: PlannedCall): Promise<PlannedCall | RefusedCall> {
  const { context, request } = call;
  const hasSameIndex = context.index === call.index;
  const now = await prepareCall(context, request);
  if (isRefused(now)) return now;
  if (hasSameIndex) return call;
  const isAsked = call.tool.needsConsent || !now.tool.needsConsent;
  // A changed policy may deny a part of the old plan that the preview does not have
  if (isAsked && subjectOf(now) === subjectOf(call)) return { ...call, ...now, context };
  const text = "Call refused: the config or the policy changed while the call was waiting\n" +
    "Call the tool again to use the new version";
  return refusal(text, "changed while it waited");
}
