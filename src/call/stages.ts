/** The stages in which a plan is run, in the order of `call.ts`, and the stage that makes background jobs. */

import {
  completeCall,
  type Next,
  notStarted,
  type Outcome,
  outcomeOfRefusal,
  type PlannedCall,
  type ReceivedCall,
  type ResolvedCall,
  resultOf,
  type ScheduledCall,
  type Stage,
} from "./pipeline.ts";
import { messageOf } from "../errors.ts";
import type { ReasonToRefuse } from "./call_queue.ts";
import { isLogged, log } from "../log.ts";
import { textResult } from "../tool/result.ts";
import type { Job } from "../jobs/job.ts";
import type { Jobs } from "../jobs/jobs.ts";
import { type CallContext, runnerOf } from "./context.ts";
import { isRefused, refusal } from "./refusal.ts";
import type { Answer, Ask, ProgressEvent, Refusal } from "../tool/runner.ts";
import { isUnchanged, reasonToConfirm, refuseChange } from "./confirm.ts";
import { revalidate } from "./prepare.ts";
import { acquireAll, type Release } from "../async/semaphore.ts";
import { isBuiltin } from "../tool/tool.ts";
import { truncateResult } from "./truncate_result.ts";
import {
  backgroundAfter,
  type BackgroundJobs,
  isGivenUp,
  schemaOfBackground,
} from "./background.ts";
import { delay } from "../async/deadline.ts";
import { recordStart } from "./audit.ts";
import { excerpt } from "../text/excerpt.ts";

export const refresh: Stage<ReceivedCall> = async (call, next) => {
  await call.context.gate.refresh?.(call.arrivedAt);
  return await next(call);
};

export const settleJob: Stage<ReceivedCall> = async (call, next) => {
  const outcome = await next(call);
  if (outcome.kind === "background") {
    void settle(call.context.background!.jobs, outcome.job, outcome.completion);
  }
  return outcome;
};

async function settle(jobs: Jobs, job: Job, completion: Promise<Outcome>): Promise<void> {
  try {
    jobs.end(job, resultOf(await completion));
  } catch (error) {
    // Nobody waits for a job to throw, so its error goes to the log and into its result
    log("error", `job ${job.id}: ${messageOf(error)}`);
    jobs.end(job, textResult(`Call failed: ${messageOf(error)}`, true));
  }
}

export const gate: Stage<ReceivedCall> = (call, next) => {
  const closed = refusalOfGate(call.context);
  return closed === undefined ? next(call) : outcomeOfRefusal(call, closed);
};

function refusalOfGate({ gate: { closed } }: CallContext): Refusal | undefined {
  return closed === undefined
    ? undefined
    : refusal(`Call refused: ${closed}`, "policy cannot be read");
}

const tooManyWaiting = notStarted(
  "Command could not be started: too many calls are waiting, try again later",
);

export const schedule: Stage<ScheduledCall> = async (call, next) => {
  const { context, tool, plan, options } = call;
  const semaphores = [
    context.toolPermits.of(tool),
    call.jobPermits,
    plan.needsPermit === false ? undefined : context.semaphore,
  ].filter((each) => each !== undefined);
  const turn = await plan.takeTurn?.(options.signal);
  let release: Release | undefined;
  try {
    const permits = semaphores.length === 0 ? undefined : await acquireAll(semaphores, options);
    if (permits === "full") return completeCall(call, tooManyWaiting);
    const acquired = permits === "cancelled" ? undefined : permits;
    release = acquired?.release;
    const start = options.mayStart?.();
    await start;
    const hasWaited = acquired?.hasWaited || start !== undefined || turn?.hasWaited;
    return await next(hasWaited ? { ...call, hasWaited } : call);
  } finally {
    release?.();
    turn?.end();
  }
};

export const recheck: Stage<ScheduledCall> = async (call, next) => {
  const { context, index, options, hasWaited = false } = call;
  const reason = context.audit?.catchUp();
  if (reason !== undefined) return { kind: "unaudited", text: `Call refused: ${reason}` };
  const closed = refusalOfGate(context);
  if (closed !== undefined) return outcomeOfRefusal(call, closed);
  // Other calls may have changed files in the meantime, so that this call would now lose uncommitted work and must ask
  const { asked, plan, tool } = call;
  const isLook = asked === undefined && options.agreed === undefined && plan.trial !== "itself" &&
    tool.needsConsent === "outside" && plan.reasonToAsk !== undefined;
  const changed = isLook ? await reasonToConfirm(call) : undefined;
  if (changed !== undefined) {
    const text =
      `Call refused: ${changed}, which another call has just changed\nCall it again, so that a person is asked`;
    return outcomeOfRefusal(call, refusal(text, "changed while it waited"));
  }
  if ((context.index === index && !hasWaited) || options.signal?.aborted) return next(call);
  const now = await revalidate(call);
  if (isRefused(now)) return outcomeOfRefusal(call, now);
  const isSame = await isUnchanged(call, now, call.plan.needsPermit !== false);
  return isSame ? next({ ...call, ...now }) : refuseChange(call);
};

export const queue: Stage<ReceivedCall & ResolvedCall> = async (call, next) => {
  const { ticket, tool, context, options: { signal, answer } } = call;
  const keepsOrder = tool.effect !== undefined && runnerOf(context, tool).keepsOrder;
  if (!keepsOrder) ticket?.leave();
  if (ticket === undefined || !keepsOrder) return next(call);
  // A read that asks a person waits like a change, so that the person gets one question at a time
  const isRead = tool.effect === "read" && !tool.needsConsent;
  const why = await ticket.turn(
    isRead ? "reads" : answer === undefined ? "writes" : "answered",
    signal,
  );
  if (why !== undefined) return outcomeOfRefusal(call, refusal(why, "calls before it"));
  return await next({ ...call, queuedMs: performance.now() - call.receivedAt });
};

export function reasonBehind(call: ReceivedCall, outcome: Outcome): ReasonToRefuse | undefined {
  const because = (kind: ReasonToRefuse[0], how: string): ReasonToRefuse => {
    return [kind, `${excerpt(call.request.tool, 200)}, which was sent before it, ${how}`];
  };
  // A call that asked to be a job holds nothing up, since its agent wants to go on meanwhile
  if (outcome.kind === "background") {
    return outcome.isAtOnce ? undefined : because("unfinished", "goes on as a job");
  }
  const { tool, asked } = outcome.kind === "unaudited"
    ? call as Partial<PlannedCall>
    : outcome.call;
  if (asked?.confirmation === "asked" || asked?.confirmation === "waiting") {
    return because("unfinished", "waits for a person");
  }
  // A failed call of a script does not stop its later calls: the script decides that itself
  const mayFail = tool?.effect === "read" || call.options.parent !== undefined;
  return !mayFail && resultOf(outcome).isError ? because("failed", "failed") : undefined;
}

export const limitResult: Stage<ScheduledCall> = async (call, next) => {
  const outcome = await next(call);
  if (outcome.kind !== "completed" || isBuiltin(outcome.call.tool)) return outcome;
  if (outcome.result.isWhole || outcome.call.options.parent !== undefined) return outcome;
  const { context: { keep, maxResultTokens, background }, tool, options } = outcome.call;
  const { owner, signal, knowsSchema } = options;
  const result = await truncateResult(outcome.result, {
    maxTokens: maxResultTokens,
    keep: (text) => keep?.(text, owner),
    schema: knowsSchema ? schemaOfBackground(background, tool) : undefined,
    waiter: { owner, signal },
  });
  return { ...outcome, result };
};

export const select: Stage<ScheduledCall> = async (call, next) => {
  const { tool: { select }, options } = call;
  const outcome = await next(call);
  if (select === undefined || outcome.kind !== "completed") return outcome;
  const { selectResult } = await import("./selected_result.ts");
  return { ...outcome, result: await selectResult(outcome.result, select, options) };
};

export async function execute(call: ScheduledCall): Promise<Outcome> {
  const { plan, options, asked, trial, context: callerContext } = call;
  const unrecorded = call.onStart?.();
  if (unrecorded !== undefined) return { kind: "unaudited", text: `Call refused: ${unrecorded}` };
  if (isLogged("debug")) log("debug", `running ${plan.preview.line}`);
  const isAgreed = asked?.confirmation === "accepted" && trial?.outcome === "shown";
  const agreesTo = isAgreed ? (words: string) => trial.text?.endsWith(words) === true : undefined;
  return completeCall(call, await plan.run({ ...options, agreesTo, callerContext }));
}

export const background: Stage<PlannedCall, ScheduledCall> = (call, next) => {
  const { context, tool, options, wantsJob } = call;
  const afterMs = backgroundAfter(context.background, tool, wantsJob);
  if (context.background === undefined || afterMs === undefined) return next(call);
  const tooMany = afterMs === 0 ? context.background.jobs.refusalFor(options.owner) : undefined;
  if (tooMany !== undefined) return completeCall(call, notStarted(tooMany));
  return new BackgroundCall(call, context.background).run(afterMs, next);
};

class BackgroundCall {
  readonly #call: PlannedCall;
  readonly #background: BackgroundJobs;
  readonly #cancel = new AbortController();
  readonly #onAbort = () => {
    const { signal } = this.#call.options;
    if (isGivenUp(signal) && this.#startedAt !== undefined) this.#givenUp.resolve(true);
    else this.#cancel.abort();
  };
  readonly #givenUp = Promise.withResolvers<true>();
  readonly #receivedAt: number;
  readonly #questions = new Set<Promise<Answer>>();
  readonly #ended = new AbortController();
  readonly #detached = Promise.withResolvers<void>();
  #startedAt: number | undefined;
  #lastLine: string | undefined;
  #tail: ProgressEvent["tail"];
  #job: Job | undefined;

  constructor(call: PlannedCall, background: BackgroundJobs) {
    this.#call = call;
    this.#background = background;
    const waitedMs = (call.queuedMs ?? 0) + (call.asked?.waitedMs ?? 0);
    this.#receivedAt = background.jobs.clock.now() - waitedMs;
    const { signal } = call.options;
    if (signal?.aborted) this.#cancel.abort();
    signal?.addEventListener("abort", this.#onAbort);
  }

  async run(afterMs: number, next: Next<ScheduledCall>): Promise<Outcome> {
    const completion = this.#complete(afterMs, next);
    await Promise.race([completion, this.#detached.promise]);
    if (this.#job === undefined) return await completion;
    await this.#background.jobs.announce(this.#job);
    return { kind: "background", job: this.#job, completion, isAtOnce: afterMs === 0 };
  }

  async #complete(afterMs: number, next: Next<ScheduledCall>): Promise<Outcome> {
    const start = afterMs === 0
      ? { jobPermits: this.#background.jobs.semaphore, onStart: () => this.#detach() }
      : { onStart: () => this.#startTimer(afterMs) };
    const { ask } = this.#call.options;
    const options = {
      ...this.#call.options,
      signal: this.#cancel.signal,
      onProgress: (event: ProgressEvent) => this.#report(event),
      ...(ask && { ask: (...question: Parameters<Ask>) => this.#ask(ask, question) }),
    };
    try {
      return await next({ ...this.#call, options, ...start });
    } finally {
      this.#ended.abort();
    }
  }

  #startTimer(afterMs: number): undefined {
    this.#startedAt = this.#background.jobs.clock.now();
    void this.#detachAfter(Math.max(0, afterMs - (this.#startedAt - this.#receivedAt)));
  }

  async #detachAfter(ms: number): Promise<void> {
    const { jobs } = this.#background;
    const { signal } = this.#ended;
    const isLeft = await Promise.race([delay(ms, signal, jobs.clock), this.#givenUp.promise]);
    while (this.#questions.size > 0) await Promise.all(this.#questions);
    const { owner, client = "" } = this.#call.options;
    const release = await jobs.semaphore.acquire({ signal, owner });
    if (typeof release === "string") return;
    if (!signal.aborted) this.#detach();
    if (isLeft === true) {
      if (this.#job === undefined) this.#cancel.abort();
      else this.#job.leftBy = client;
    }
    await this.#job?.ended;
    release();
  }

  #detach(): string | undefined {
    const { jobs, isAvailable, expose } = this.#background;
    if (this.#cancel.signal.aborted || !jobs.mayBegin || !isAvailable()) return undefined;
    const { tool: { name, timeoutMs }, options: { owner, signal } } = this.#call;
    const beganMs = this.#startedAt ?? jobs.clock.now();
    const job = jobs.begin({
      tool: name,
      owner,
      timeoutMs,
      beganMs,
      stop: () => this.#cancel.abort(),
    });
    const reason = recordStart(this.#call, job);
    if (reason !== undefined) {
      jobs.drop(job);
      return reason;
    }
    this.#job = job;
    signal?.removeEventListener("abort", this.#onAbort);
    job.hear(this.#lastLine, this.#tail);
    expose();
    this.#detached.resolve();
    return undefined;
  }

  #report(event: ProgressEvent): void {
    if (event.message !== undefined) {
      this.#lastLine = excerpt(event.message.replace(/\s+/g, " ").trim(), 199).toWellFormed();
    }
    this.#tail = event.tail ?? this.#tail;
    if (this.#job === undefined) this.#call.options.onProgress?.(event);
    else this.#job.hear(this.#lastLine, this.#tail);
  }

  async #ask(ask: Ask, question: Parameters<Ask>): Promise<Answer> {
    if (this.#job !== undefined) {
      return { action: "unasked", reason: "background jobs cannot ask the user" };
    }
    const answer = ask(...question);
    this.#questions.add(answer);
    try {
      return await answer;
    } finally {
      this.#questions.delete(answer);
    }
  }
}
