/** Continues a call in the background; the client is answered then, and reads the result from the job. */

import { delay } from "../async/deadline.ts";
import { backgroundAfter, type BackgroundJobs } from "./background.ts";
import type { Job } from "../jobs/job.ts";
import {
  completeCall,
  type Next,
  notStarted,
  type Outcome,
  type PlannedCall,
  type ScheduledCall,
  type Stage,
} from "./pipeline.ts";
import { recordStart } from "./audit.ts";
import { excerpt } from "../text/excerpt.ts";
import type { Answer, Ask, ProgressEvent } from "../tool/runner.ts";

export const background: Stage<PlannedCall, ScheduledCall> = async (call, next) => {
  const { context, tool, options } = call;
  const afterMs = backgroundAfter(context.background, tool);
  if (context.background === undefined || afterMs === undefined) return await next(call);
  const tooMany = afterMs === 0 ? context.background.jobs.refusalFor(options.owner) : undefined;
  if (tooMany !== undefined) return completeCall(call, notStarted(tooMany));
  return await new BackgroundCall(call, context.background).run(afterMs, next);
};

/** One call that may become a job: then its client no longer cancels it, and reads its progress from the job. */
class BackgroundCall {
  readonly #call: PlannedCall;
  readonly #background: BackgroundJobs;
  readonly #cancel = new AbortController();
  readonly #onAbort = () => this.#cancel.abort();
  readonly #questions = new Set<Promise<Answer>>();
  readonly #ended = new AbortController();
  readonly #detached = Promise.withResolvers<void>();
  #startedAt: number | undefined;
  #lastLine: string | undefined;
  #job: Job | undefined;

  constructor(call: PlannedCall, background: BackgroundJobs) {
    this.#call = call;
    this.#background = background;
    const { signal } = call.options;
    if (signal?.aborted) this.#cancel.abort();
    signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  async run(afterMs: number, next: Next<ScheduledCall>): Promise<Outcome> {
    const completion = this.#complete(afterMs, next);
    await Promise.race([completion, this.#detached.promise]);
    if (this.#job === undefined) return await completion;
    await this.#background.jobs.announce(this.#job);
    return { kind: "background", job: this.#job, completion };
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
    void this.#detachAfter(afterMs);
  }

  async #detachAfter(ms: number): Promise<void> {
    const { signal } = this.#ended;
    await delay(ms, signal, this.#background.jobs.clock);
    while (this.#questions.size > 0) await Promise.all(this.#questions);
    const { owner } = this.#call.options;
    const release = await this.#background.jobs.semaphore.acquire({ signal, owner });
    if (typeof release === "string") return;
    if (!signal.aborted) this.#detach();
    await this.#job?.ended;
    release();
  }

  /** Turns the call into a job. Returns the reason if the audit log cannot be written. */
  #detach(): string | undefined {
    const { jobs, isAvailable, expose } = this.#background;
    if (this.#cancel.signal.aborted || !jobs.mayBegin || !isAvailable()) return undefined;
    const { tool: { name, timeoutMs }, options: { owner, signal } } = this.#call;
    const beganMs = this.#startedAt ?? jobs.clock.now();
    const job = jobs.begin({ tool: name, owner, timeoutMs, beganMs, stop: this.#onAbort });
    const reason = recordStart(this.#call, job);
    if (reason !== undefined) {
      jobs.drop(job);
      return reason;
    }
    this.#job = job;
    signal?.removeEventListener("abort", this.#onAbort);
    job.hear(this.#lastLine);
    expose();
    this.#detached.resolve();
    return undefined;
  }

  #report(event: ProgressEvent): void {
    if (event.message !== undefined) {
      this.#lastLine = excerpt(event.message.replace(/\s+/g, " ").trim(), 199).toWellFormed();
    }
    if (this.#job === undefined) this.#call.options.onProgress?.(event);
    else this.#job.hear(this.#lastLine);
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
