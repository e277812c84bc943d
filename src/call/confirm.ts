/** The stage that asks a person, and the trial of a call: a dry run, or a diff, which the question shows. */

import { systemClock } from "../async/clock.ts";
import { noPolicy } from "../policy/policy_file.ts";
import { maxWaiting } from "./approvals.ts";
import {
  askConsent,
  consentOf,
  consentOfApproval,
  rememberNo,
  standingOf,
  textOfCall,
} from "./consent.ts";
import type { CallContext } from "./context.ts";
import {
  type AgreedCalls,
  type Next,
  type Outcome,
  outcomeOfRefusal,
  type PlannedCall,
  type Stage,
  type Trial,
} from "./pipeline.ts";
import { revalidate } from "./prepare.ts";
import { isRefused, refusal } from "./refusal.ts";
import type { Refusal } from "../tool/runner.ts";
import type { Tool } from "../tool/tool.ts";

export const confirm: Stage<PlannedCall> = (call, next) => {
  const { tool, options: { agreed, answer } } = call;
  const isAsked = tool.needsConsent || agreed !== undefined || answer !== undefined;
  return isAsked ? confirmPlan(call, next) : next(call);
};

async function confirmPlan(planned: PlannedCall, next: Next<PlannedCall>): Promise<Outcome> {
  const { tool, plan: { preview }, options: { agreed, answer } } = planned;
  const rule = `${tool.rule ?? noPolicy}.confirm`;
  const given = answer && consentOf(answer);
  if (given?.refusal !== undefined) {
    const asked = { preview, confirmation: given.confirmation, waitedMs: 0 };
    if (given.confirmation === "declined") await rememberNo(planned);
    return outcomeOfRefusal({ ...planned, asked }, refusal(given.refusal, rule));
  }
  if (planned.plan.trial === "itself") return await next(planned);
  const known = agreed && await agreedCall(planned, agreed);
  if (known !== undefined) {
    return isRefused(known) ? outcomeOfRefusal(planned, known) : await next(known);
  }
  if (agreed?.isExact) return refuseChange(planned);
  // After a person has agreed to other calls, these may have changed what this call does, so the person is asked
  // again
  const other = agreed?.left ? "a person has agreed to other calls" : undefined;
  const reason = await reasonToConfirm(planned) ?? other;
  if (reason === undefined) return await next(planned);
  const runs = planned.plan.trial !== undefined && "run" in planned.plan.trial;
  const leave = runs ? enterQuestions(planned) : () => {};
  if (leave === undefined) return outcomeOfRefusal(planned, refusal(tooManyAsked, rule));
  const agreedTo = await askPerson({ ...planned, reason }, rule).finally(leave);
  return "kind" in agreedTo ? agreedTo : await next(agreedTo);
}

async function askPerson(planned: PlannedCall, rule: string): Promise<PlannedCall | Outcome> {
  const { plan: { preview }, options: { ask, signal } } = planned;
  const standing = await standingOf(planned);
  if (standing?.approval !== undefined) {
    const { confirmation, refusal: text, approval } = consentOfApproval(standing.approval);
    const call = { ...planned, asked: { preview, confirmation, approval, waitedMs: 0 } };
    return text === undefined ? call : outcomeOfRefusal(call, refusal(text, rule));
  }
  const vain = await planned.plan.refuses?.();
  if (vain !== undefined) return outcomeOfRefusal(planned, refusal(vain, "not started"));
  const tried = await addTrial(planned);
  if (isRefused(tried)) return outcomeOfRefusal(planned, tried);
  const { clock = systemClock } = planned.context.background?.jobs ?? {};
  const askedAt = clock.now();
  const { confirmation, refusal: text, approval } = await askConsent(tried, ask, { standing });
  const asked = { preview, confirmation, approval, waitedMs: clock.now() - askedAt };
  const call = { ...tried, asked };
  if (text !== undefined) return outcomeOfRefusal(call, refusal(text, rule));
  if (signal?.aborted) return call;
  // While the person was asked, links and the catalogue may have changed, so the call is planned again
  const now = await revalidate(call);
  if (isRefused(now)) return outcomeOfRefusal(call, now);
  return await isUnchanged(call, now) ? now : refuseChange(call);
}

export async function reasonToConfirm(
  { tool: { needsConsent, consentReason, rule }, plan: { reasonToAsk } }: {
    readonly tool: Tool;
    readonly plan: Pick<PlannedCall["plan"], "reasonToAsk">;
  },
): Promise<string | undefined> {
  if (!needsConsent) return undefined;
  if (needsConsent === "outside" && reasonToAsk) return await reasonToAsk();
  if (consentReason !== undefined) return consentReason;
  return rule === noPolicy
    ? "it says that it changes something"
    : "the policy asks about each call";
}

/** The number of open questions of each client, which is bounded, since a question may start a program. */
const asking = new WeakMap<CallContext["toolPermits"], Map<string, number>>();

const tooManyAsked =
  `Call refused: ${maxWaiting.client} calls of this client wait for a person already`;

function enterQuestions({ context, options }: PlannedCall): (() => void) | undefined {
  const { owner, client = "", via } = options;
  const key = owner ?? JSON.stringify([via, client]);
  const counts = asking.getOrInsertComputed(context.toolPermits, () => new Map());
  const count = counts.get(key) ?? 0;
  if (count >= maxWaiting.client) return undefined;
  counts.set(key, count + 1);
  return () => {
    const left = counts.get(key)! - 1;
    if (left > 0) counts.set(key, left);
    else counts.delete(key);
  };
}

export async function addTrial(
  call: PlannedCall,
  hasPermit = false,
): Promise<PlannedCall | Refusal> {
  const { plan: { trial: planned, projectState }, context, options } = call;
  const { ask, signal, owner } = options;
  const state = projectState && { state: await projectState() };
  if (planned === undefined || planned === "itself" || "withheld" in planned) {
    const withheld = typeof planned === "object" &&
      { outcome: "withheld" as const, text: planned.withheld };
    return state || withheld ? { ...call, trial: { ...state, ...withheld } } : call;
  }
  const isVain = ask === undefined && context.approvals === undefined &&
    options.agreed === undefined;
  if (isVain) return call;
  const release = hasPermit ? undefined : await context.semaphore.acquire(options);
  if (release === "cancelled") return call;
  if (release === "full") return refusal(tooManyAsked, "too many calls wait");
  try {
    const { content: [first], isError, record } = await planned.run({
      signal,
      owner,
      callerContext: context,
    });
    const text = first?.type === "text" ? first.text : "";
    const hasFailed = isError && !signal?.aborted;
    // A call that runs code of the project is refused if its trial fails: no person would see what runs
    if (hasFailed && state !== undefined) {
      return refusal(`Call refused: what it would run cannot be shown: ${text}`, "trial failed");
    }
    if (hasFailed && planned.isDryRun && record?.["ending"] === "exited") {
      return refusal(`Call not made, since its dry run fails: ${text}`, "trial failed");
    }
    const trial: Trial = {
      ...state,
      outcome: isError ? "failed" : "shown",
      text,
      saidBy: planned.saidBy,
      record: { argv: planned.preview.record["argv"], ...record },
    };
    return { ...call, trial };
  } finally {
    release?.();
  }
}

export async function isUnchanged(
  { trial, asked }: PlannedCall,
  now: PlannedCall,
  hasPermit = false,
): Promise<boolean> {
  if (asked?.approval?.choice === "folder" || asked?.approval?.choice === "tool") {
    const again = (await standingOf(now))?.approval;
    return again !== undefined && again.choice !== "no";
  }
  if (trial === undefined) return true;
  const again = await addTrial(now, hasPermit);
  return !isRefused(again) && again.trial?.text === trial.text &&
    again.trial?.state === trial.state;
}

export function refuseChange(call: PlannedCall): Outcome {
  const text = "Call refused: what would be run has changed since the person agreed to it";
  return outcomeOfRefusal(call, refusal(text, "changed while it waited"));
}

async function agreedCall(planned: PlannedCall, agreed: AgreedCalls) {
  const { preview } = planned.plan;
  const { approval } = agreed;
  const asked = { preview, confirmation: "accepted", approval, waitedMs: 0 } as const;
  if (agreed.take(textOfCall(planned))) return { ...planned, asked };
  const tried = await addTrial(planned);
  if (isRefused(tried)) return tried;
  return agreed.take(textOfCall(tried)) ? { ...tried, asked } : undefined;
}
