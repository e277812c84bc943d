/**
 * A call that goes on behind an answer: at once where its tool says so, or when it has taken longer than
 * its soft limit. Its client is let go of then, and what the call comes to is a job's.
 */

import { delay } from "../async/deadline.ts";
import { monotonicNow } from "../process/monotonic.ts";
import { log } from "../log.ts";
import { messageOf } from "../errors.ts";
import { writtenCall } from "../text/written_call.ts";
import { type CallResult, type JobView, textResult } from "../tool/result.ts";
import type { PlanOptions } from "../tool/runner.ts";
import { isBuiltin, type ObjectSchema, type Tool } from "../tool/tool.ts";
import { Lead } from "./_lead.ts";
import type { Job } from "./job.ts";
import { type Jobs, statusTool } from "./jobs.ts";
import type { RunQueue } from "./queue.ts";

/** What lets the calls of a session go on behind their answers. */
export interface GoingOn {
  readonly jobs: Jobs;
  /** Milliseconds after which calls do of tools that do not say; 0: never. */
  readonly softTimeoutMs: number;
  /** Whether jobs may be asked after. */
  isLeft(): boolean;
  /** Has the tools that ask after jobs shown. */
  show(): void;
}

/** Whether any call may go on behind its answer. */
export function hasJobs({ goingOn }: { readonly goingOn?: GoingOn | undefined }): boolean {
  return goingOn !== undefined && goingOn.jobs.isOpen && goingOn.isLeft();
}

/** Milliseconds after which calls of `tool` go on behind an answer; nothing where they never do. */
export function goesOnAfter(goingOn: GoingOn | undefined, tool: Tool): number | undefined {
  if (goingOn === undefined || isBuiltin(tool) || tool.background === false) return undefined;
  const softMs = tool.softTimeoutMs ?? goingOn.softTimeoutMs;
  const isSoft = softMs > 0 && softMs < tool.timeoutMs;
  if (!(tool.background || isSoft) || !hasJobs({ goingOn })) return undefined;
  return tool.background ? 0 : softMs;
}

/** The schema of results that `tool` may promise: an answer behind which it goes on does not fit. */
export function shownOutput(goingOn: GoingOn | undefined, tool: Tool): ObjectSchema | undefined {
  if (tool.output === undefined) return undefined;
  return goesOnAfter(goingOn, tool) === undefined ? tool.output : undefined;
}

/** One call that may go on behind its answer. */
export interface LastingCall<Ran, Options extends PlanOptions> {
  readonly tool: Tool;
  /** Milliseconds after which it does; 0: at once. */
  readonly afterMs: number;
  readonly options: Options;
  /** Runs it to its end. */
  run(options: Options, beginning: BeginningOfRun): Promise<Ran>;
  /** Has the logs know that it goes on as `job`; why it may not, where they cannot. */
  begun(job: string): string | undefined;
  /** What is answered for what it came to, once the logs have it. */
  finish(ran: Ran, job?: string): CallResult;
}

/** What a run has to do with jobs before it is one. */
export interface BeginningOfRun {
  /** Where it needs a place besides those of every call. */
  readonly places?: RunQueue;
  /** To be done when nothing else is in the way; why the logs do not allow it. */
  begins(): string | undefined;
}

/** Carries out a call; answers with what it comes to, or that it goes on. */
export async function goOn<Ran, Options extends PlanOptions>(
  { jobs, isLeft, show }: GoingOn,
  call: LastingCall<Ran, Options>,
): Promise<CallResult> {
  const { tool, afterMs, options } = call;
  const lead = new Lead(options);
  const over = new AbortController();
  const left = Promise.withResolvers<void>();
  let began: number | undefined;
  const ranMs = () => began === undefined ? 0 : Math.round(performance.now() - began);
  let job: Job | undefined;

  /** Makes a job of it; why the logs do not allow it. */
  const leave = (): string | undefined => {
    if (lead.isEnding || !jobs.isOpen || !isLeft()) return undefined;
    const { name, timeoutMs } = tool;
    const { owner } = options;
    const stop = () => lead.stop();
    const begun = jobs.begin({
      tool: name,
      owner,
      timeoutMs,
      beganMs: monotonicNow() - ranMs(),
      stop,
    });
    const reason = call.begun(begun.id);
    if (reason !== undefined) {
      jobs.drop(begun);
      return reason;
    }
    job = begun;
    lead.letGo(begun);
    show();
    left.resolve();
    return undefined;
  };

  /** Makes a job of it when it has taken too long, and there is a place. */
  const leaveLate = async (): Promise<void> => {
    await delay(afterMs, over.signal);
    await lead.unasked();
    const place = await jobs.places.acquire({ signal: over.signal, owner: options.owner });
    if (typeof place === "string") return;
    if (!over.signal.aborted) leave();
    if (job !== undefined) await job.ended;
    place();
  };
  const late: BeginningOfRun = {
    begins() {
      began = performance.now();
      void leaveLate();
      return undefined;
    },
  };

  const runs = async (): Promise<Ran> => {
    try {
      const atOnce = { places: jobs.places, begins: leave };
      return await call.run(lead.options, afterMs === 0 ? atOnce : late);
    } finally {
      over.abort();
    }
  };
  const running = runs();
  await Promise.race([running, left.promise]);
  if (job === undefined) return call.finish(await running);
  void endWith(jobs, job, running, call);
  return stillRunning(job.view());
}

/** Gives `job` what its call came to. */
async function endWith<Ran, Options extends PlanOptions>(
  jobs: Jobs,
  job: Job,
  running: Promise<Ran>,
  { finish }: LastingCall<Ran, Options>,
): Promise<void> {
  let result: CallResult;
  try {
    result = finish(await running, job.id);
  } catch (error) {
    // Nobody waits who could be told
    log("error", `job ${job.id}: ${messageOf(error)}`);
    result = textResult(`Call failed: ${messageOf(error)}`, true);
  }
  jobs.end(job, result);
}

/** The answer behind which a call goes on. */
export function stillRunning(view: JobView): CallResult {
  const text = `[still running: ${writtenCall(statusTool, { id: view.id })}]`;
  return { ...textResult([...lastLine(view), text].join("\n")), job: view };
}

/** What was heard of a job last, if anything, as a line. */
export function lastLine({ lastLine }: JobView): string[] {
  return lastLine === undefined ? [] : [`[last line: ${JSON.stringify(lastLine)}]`];
}
