/** Plans a call again that has waited, for a person or a permit: the catalogue may have changed meanwhile. */

import type { PlannedCall } from "./pipeline.ts";
import { prepareCall } from "./prepare.ts";
import type { ReadyCall } from "./prepared_call.ts";
import { isRefused, refusal, type RefusedCall } from "./refusal.ts";

/** Names that a plan makes up for itself, such as a container's. */
const generatedNames = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Returns the call over the catalogue as it is now, if it looks to people and logs as it did before. */
export async function revalidate(call: PlannedCall): Promise<PlannedCall | RefusedCall> {
  const { context, request } = call;
  const hasSameIndex = context.index === call.index;
  const now = await prepareCall(context, request);
  if (isRefused(now)) return now;
  if (hasSameIndex) return call;
  const isAsked = call.tool.needsConsent || !now.tool.needsConsent;
  // What is not shown of the old plan may be what the new policy does not want
  if (isAsked && shownOf(now) === shownOf(call)) return { ...call, ...now, context };
  const text = "Call refused: the config or the policy changed while the call was waiting\n" +
    "Call the tool again to use the new version";
  return refusal(text, "changed while it waited");
}

function shownOf({ plan }: ReadyCall): string {
  return JSON.stringify(plan.preview).replaceAll(generatedNames, "");
}
