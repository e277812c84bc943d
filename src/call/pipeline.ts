/** Defines a call as a chain of stages. A stage may add to the call, answer it, or change what later stages return. */

import type { Answer, Plan, PlanOptions, PlanPreview, Refusal } from "../tool/runner.ts";
import type { ArgValues, Tool } from "../tool/tool.ts";
import type { Approval } from "./approvals.ts";
import type { Ticket } from "./call_queue.ts";
import type { CallContext } from "./context.ts";
import { type CallResult, type JobView, textResult } from "../tool/result.ts";
import type { LogLevel } from "../log.ts";
import type { Job } from "../jobs/job.ts";
import type { FairSemaphore } from "../async/semaphore.ts";
import { isRefused, refusalResult } from "./refusal.ts";
import { formatCall } from "../text/shell_word.ts";
import { resultTool } from "../jobs/jobs.ts";

export interface CallRequest {
  readonly tool: string;
  readonly args?: unknown;
  readonly named?: string;
  readonly refusesUnknown?: boolean;
}

export type PlanningContext =
  & Pick<CallContext, "index" | "runners">
  & Partial<Pick<CallContext, "background" | "features" | "explainWithheld">>;

export interface ResolvedCall {
  readonly context: PlanningContext;
  readonly request: CallRequest;
  readonly index: CallContext["index"];
  readonly tool: Tool;
  readonly given: Readonly<Record<string, unknown>>;
}

export interface CoercedCall extends ResolvedCall {
  readonly values: ArgValues;
  readonly unknown: readonly string[];
  readonly wantsJob: boolean;
}

export interface ReadyCall extends CoercedCall {
  readonly ok: true;
  readonly plan: Plan;
}

/** What came of a question. `asked`: the client asks, and repeats the call. `waiting`: a person may still answer. */
export type Confirmation =
  | "accepted"
  | "declined"
  | "cancelled"
  | "not asked"
  | "asked"
  | "waiting";

interface AskedPerson {
  /** What the person saw in the question: a yes allows only this. */
  readonly preview: PlanPreview;
  readonly confirmation: Confirmation;
  readonly approval?: Approval | undefined;
  readonly waitedMs: number;
}

/** Calls to which a person has agreed by one answer, such as all calls of a script. */
export interface AgreedCalls {
  readonly isExact: boolean;
  readonly left: number;
  readonly approval?: Approval | undefined;
  /** Returns whether a call with this text is agreed to, and counts it as used. */
  take(text: string): boolean;
}

export interface CallOptions extends PlanOptions {
  /** The time by `performance.now()` at which the request had been read. @default the time of the call */
  readonly arrivedAt?: number | undefined;
  /** The call's place in its client's queue. @default none, so that the call waits for no other */
  readonly ticket?: Ticket | undefined;
  /** The id of the script that makes the call. Results for scripts are not cut. */
  readonly parent?: string | undefined;
  readonly agreed?: AgreedCalls | undefined;
  readonly refuses?: ((tool: Tool) => Refusal | undefined) | undefined;
  readonly answer?: Answer | undefined;
  readonly knowsSchema?: boolean | undefined;
  readonly failureLevel?: LogLevel | undefined;
  /** Waits until the client has read earlier answers; a call is not run before that. */
  readonly mayStart?: (() => Promise<void> | undefined) | undefined;
}

export interface ReceivedCall extends Pick<CallOptions, "arrivedAt" | "ticket"> {
  readonly context: CallContext;
  readonly request: CallRequest;
  readonly options: CallOptions;
  readonly receivedAt: number;
  readonly queuedMs?: number;
}

export interface PlannedCall extends ReceivedCall, ReadyCall {
  readonly context: CallContext;
  readonly asked?: AskedPerson;
  readonly reason?: string;
  readonly trial?: Trial;
}

/** What the question shows besides the plan: what the call would do. A person's yes holds only for this. */
export interface Trial {
  readonly outcome?: "shown" | "failed" | "withheld";
  readonly text?: string;
  readonly saidBy?: string | undefined;
  /** The state of the project's code (`Plan.projectState`). If it changes, a yes no longer holds. */
  readonly state?: string;
  readonly record?: Readonly<Record<string, unknown>>;
}

export interface ScheduledCall extends PlannedCall {
  readonly jobPermits?: FairSemaphore;
  /** Is called right before the run. Returns why the call must not run, if so. */
  readonly onStart?: () => string | undefined;
  readonly hasWaited?: boolean;
}

type RefusedCall =
  & ReceivedCall
  & Pick<PlannedCall, "asked" | "trial">
  & Partial<Pick<PlannedCall, "tool" | "values">>;

export type Ended =
  | { readonly kind: "completed"; readonly call: PlannedCall; readonly result: CallResult }
  | { readonly kind: "refused"; readonly call: RefusedCall; readonly refusal: Refusal };

/** What comes of a call. A background job has no result yet: its `completion` resolves to what comes of it. */
export type Outcome =
  | Ended
  | { readonly kind: "unaudited"; readonly text: string }
  | {
    readonly kind: "background";
    readonly job: Job;
    readonly completion: Promise<Outcome>;
    readonly isAtOnce?: boolean;
  };

export type Next<Call> = (call: Call) => Outcome | Promise<Outcome>;

export type Stage<In, Out = In> = (call: In, next: Next<Out>) => Outcome | Promise<Outcome>;

interface Pipeline<In, Out> {
  use<Refined>(stage: Stage<Out, Refined>): Pipeline<In, Refined>;
  end(last: Next<Out>): Next<In>;
}

export function pipeline<In>(): Pipeline<In, In> {
  return chain<In, In>((last) => last);
}

function chain<In, Out>(compose: (last: Next<Out>) => Next<In>): Pipeline<In, Out> {
  return {
    use: <Refined>(stage: Stage<Out, Refined>) => {
      return chain<In, Refined>((last) => compose((call) => stage(call, last)));
    },
    end: compose,
  };
}

export function step<In extends ReceivedCall, Out>(
  advance: (call: In) => Out | Refusal | Promise<Out | Refusal>,
): Stage<In, Exclude<Out, Refusal>> {
  return async (call, next) => {
    const advanced = await advance(call);
    return isRefused(advanced as object)
      ? outcomeOfRefusal(call, advanced as Refusal)
      : await next(advanced as Exclude<Out, Refusal>);
  };
}

export function completeCall(call: PlannedCall, result: CallResult): Outcome {
  return { kind: "completed", call, result };
}

export function outcomeOfRefusal(call: RefusedCall, refusal: Refusal): Outcome {
  return { kind: "refused", call, refusal };
}

export function notStarted(text: string): CallResult {
  return { ...textResult(text, true), record: { ending: "not started: other" } };
}

/** Applies `change` to the outcome of a call: now, or for a background job when the job has ended. */
export function whenEnded(
  outcome: Outcome,
  change: (ended: Ended, job?: Job) => Outcome,
  job?: Job,
): Outcome {
  if (outcome.kind === "unaudited") return outcome;
  if (outcome.kind !== "background") return change(outcome, job);
  const completion = outcome.completion.then((later) => whenEnded(later, change, outcome.job));
  return { ...outcome, completion };
}

export function resultOf(outcome: Outcome): CallResult {
  switch (outcome.kind) {
    case "completed":
      return outcome.result;
    case "refused":
      // A call that ends with a question for the client to ask has not failed, so its result is no error
      return {
        ...refusalResult(outcome.refusal, outcome.call.asked?.confirmation !== "asked"),
        refusedBy: outcome.refusal.rule,
      };
    case "unaudited":
      return textResult(outcome.text, true);
    case "background":
      return resultOfRunning(outcome.job.view());
  }
}

export function resultOfRunning(view: JobView, output = lastLine(view)): CallResult {
  const text = `[still running: ${formatCall(resultTool, { id: view.id, wait: 45 })}]`;
  const only = "[only the instance that runs it can answer: the shared store cannot]";
  const lines = [...output, text, ...(view.isLocal ? [only] : [])];
  return { ...textResult(lines.join("\n")), job: view };
}

export function lastLine({ lastLine }: JobView): string[] {
  return lastLine === undefined ? [] : [`[last line: ${JSON.stringify(lastLine)}]`];
}
