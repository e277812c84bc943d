/** A call that has waited: for a person, or for a place. What may be called may be another thing by then. */

import type { CallContext } from "./context.ts";
import { type CallRequest, prepareCall, type Prepared, type ReadyCall } from "./prepare.ts";

/** Names that a plan makes up for itself, such as a container's. */
const ownNames = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/**
 * What `request` comes to now that `index` may have been exchanged: what it came to `before`, as far as
 * people and logs can see, or a refusal.
 */
export async function prepareAgain(
  context: CallContext,
  request: CallRequest,
  { before, index }: { readonly before: ReadyCall; readonly index: CallContext["index"] },
): Promise<Prepared> {
  const isAsItWas = context.index === index;
  const again = await prepareCall(context, request);
  if (!again.ok) return again;
  if (isAsItWas) return before;
  const isAsked = before.tool.needsConsent || !again.tool.needsConsent;
  // What is not shown of the old plan may be what the new policy does not want
  if (isAsked && shownOf(again) === shownOf(before)) return again;
  const text = "Call refused: the config or the policy changed while the call was waiting\n" +
    "Call the tool again to use the new version";
  return { ok: false, text, shownText: text, rule: "changed while it waited" };
}

function shownOf({ plan }: ReadyCall): string {
  return JSON.stringify(plan.shown).replaceAll(ownNames, "");
}
