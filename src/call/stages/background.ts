/**
 * Lets a call continue in the background: at once where its tool says so, or when it has taken longer than
 * its soft timeout. Its client gets an answer then, and the result is a job's.
 */

import { delay } from "../../async/deadline.ts";
import { monotonicNow } from "../../process/monotonic.ts";
import type { CallContext } from "../context.ts";
import { backgroundAfter, type GoingOn } from "../going_on.ts";
import type { Job } from "../job.ts";
import { Lead } from "../_lead.ts";
import {
  completed,
  type Next,
  notStarted,
  type Outcome,
  type PlannedCall,
  type ScheduledCall,
  type Stage,
} from "../pipeline.ts";
import { recordStart } from "./audit.ts";

export const background: Stage<PlannedCall, ScheduledCall> = async (call, next) => {
  const { context, tool, options } = call;
  const afterMs = backgroundAfter(context.goingOn, tool);
  if (context.goingOn === undefined || afterMs === undefined) return await next(call);
  const tooMany = afterMs === 0 ? context.goingOn.jobs.refusalFor(options.owner) : undefined;
  if (tooMany !== undefined) return completed(call, notStarted(tooMany));
  return await new BackgroundCall(call, context.goingOn).run(afterMs, next);
};

/** One call that may become a job. */
class BackgroundCall {
  readonly #call: PlannedCall;
  readonly #goingOn: GoingOn;
  readonly #link: Lead<PlannedCall["options"]>;
  readonly #ended = new AbortController();
  readonly #detached = Promise.withResolvers<void>();
  #startedAt: number | undefined;
  #job: Job | undefined;

  constructor(call: PlannedCall, goingOn: NonNullable<CallContext["goingOn"]>) {
    this.#call = call;
    this.#goingOn = goingOn;
    this.#link = new Lead(call.options);
  }

  /** Returns the outcome, or the job if there is one before. */
  async run(afterMs: number, next: Next<ScheduledCall>): Promise<Outcome> {
    const completion = this.#complete(afterMs, next);
    await Promise.race([completion, this.#detached.promise]);
    return this.#job === undefined
      ? await completion
      : { kind: "background", job: this.#job, completion };
  }

  async #complete(afterMs: number, next: Next<ScheduledCall>): Promise<Outcome> {
    const start = afterMs === 0
      ? { jobPermits: this.#goingOn.jobs.places, onStart: () => this.#detach() }
      : { onStart: () => this.#startTimer(afterMs) };
    try {
      return await next({ ...this.#call, options: this.#link.options, ...start });
    } finally {
      this.#ended.abort();
    }
  }

  #startTimer(afterMs: number): undefined {
    this.#startedAt = performance.now();
    void this.#detachAfter(afterMs);
  }

  /** Makes a job of the call when it has taken too long, and there is a permit. */
  async #detachAfter(ms: number): Promise<void> {
    const { signal } = this.#ended;
    await delay(ms, signal);
    await this.#link.unasked();
    const { owner } = this.#call.options;
    const release = await this.#goingOn.jobs.places.acquire({ signal, owner });
    if (typeof release === "string") return;
    if (!signal.aborted) this.#detach();
    await this.#job?.ended;
    release();
  }

  /** Makes a job of the call. Returns the reason if the log cannot have it. */
  #detach(): string | undefined {
    const { jobs, isLeft, show } = this.#goingOn;
    if (this.#link.isEnding || !jobs.isOpen || !isLeft()) return undefined;
    const { tool: { name, timeoutMs }, options: { owner } } = this.#call;
    const ranMs = this.#startedAt === undefined ? 0 : performance.now() - this.#startedAt;
    const beganMs = monotonicNow() - Math.round(ranMs);
    const stop = () => this.#link.stop();
    const job = jobs.begin({ tool: name, owner, timeoutMs, beganMs, stop });
    const reason = recordStart(this.#call, job);
    if (reason !== undefined) {
      jobs.drop(job);
      return reason;
    }
    this.#job = job;
    this.#link.letGo(job);
    show();
    this.#detached.resolve();
    return undefined;
  }
}
