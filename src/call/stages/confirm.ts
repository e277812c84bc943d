/** Asks a person if the policy demands it, and plans the call again after a yes. */

import { askConsent, consentOf, subjectOf } from "../consent.ts";
import { type Next, type Outcome, type PlannedCall, refused, type Stage } from "../pipeline.ts";
import { isRefused, refusal } from "../refusal.ts";
import { revalidate } from "../revalidate.ts";

export const confirm: Stage<PlannedCall> = async (planned, next) => {
  const { tool, plan: { preview }, options: { ask, signal, agreed, answer } } = planned;
  const rule = `${tool.rule ?? "no policy"}.confirm`;
  // A no counts even where the policy does not ask any more
  const given = answer && consentOf(answer);
  if (given?.refusal !== undefined) {
    const asked = { preview, confirmation: given.confirmation, waitedMs: 0 };
    return refused({ ...planned, asked }, refusal(given.refusal, rule));
  }
  if (agreed !== undefined) return await runAgreed(planned, agreed, next);
  if (!tool.needsConsent) return await next(planned);
  const askedAt = performance.now();
  const { confirmation, refusal: text } = await askConsent(planned, ask);
  const asked = { preview, confirmation, waitedMs: performance.now() - askedAt };
  const call = { ...planned, asked };
  if (text !== undefined) {
    return refused(call, refusal(text, rule));
  }
  // The plan of a cancelled call says that it was cancelled
  if (signal?.aborted) return await next(call);
  // Symbolic links and the catalogue may have changed during the wait for the person
  const now = await revalidate(call);
  return isRefused(now) ? refused(call, now) : await next(now);
};

/** The person has agreed already, to exactly this and nothing else. */
async function runAgreed(
  planned: PlannedCall,
  agreed: string,
  next: Next<PlannedCall>,
): Promise<Outcome> {
  if (subjectOf(planned) !== agreed) {
    const text = "Call refused: what would be run has changed since the person agreed to it";
    return refused(planned, refusal(text, "changed while it waited"));
  }
  const { preview } = planned.plan;
  return await next({ ...planned, asked: { preview, confirmation: "accepted", waitedMs: 0 } });
}
