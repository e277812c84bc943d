/** Asks a person where the policy wants it, and plans the call again after a yes. */

import { askConsent } from "../consent.ts";
import { type PlannedCall, refused, type Stage } from "../pipeline.ts";
import { isRefused, refusal } from "../refusal.ts";
import { revalidate } from "../revalidate.ts";

export const confirm: Stage<PlannedCall> = async (planned, next) => {
  const { tool, plan: { preview: shown }, options: { ask, signal } } = planned;
  if (!tool.needsConsent) return await next(planned);
  const askedAt = performance.now();
  const { confirmation, refusal: text } = await askConsent(planned, ask);
  const asked = { shown, confirmation, waitedMs: performance.now() - askedAt };
  const call = { ...planned, asked };
  if (text !== undefined) {
    return refused(call, refusal(text, `${tool.rule ?? "no policy"}.confirm`));
  }
  // A call that was cancelled has its plan say so
  if (signal?.aborted) return await next(call);
  // Links and the catalogue may have changed while the person thought about it
  const now = await revalidate(call);
  return isRefused(now) ? refused(call, now) : await next(now);
};
