/** Defines a call as a chain of stages. A stage may add to the call, answer it, or change the outcome. */

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
  /** The arguments as sent; absent and `null` mean none. */
  readonly args?: unknown;
  /** The name by which the client called the tool, if it is not the tool's own. */
  readonly named?: string;
  /** Refuses names that no argument has, as in a call that a person typed. @default false */
  readonly refusesUnknown?: boolean;
}

export type PlanningContext =
  & Pick<CallContext, "index" | "runners">
  & Partial<Pick<CallContext, "background" | "features" | "explainWithheld">>;

export interface RequestedCall {
  readonly context: PlanningContext;
  readonly request: CallRequest;
}

export interface ResolvedCall extends RequestedCall {
  readonly index: CallContext["index"];
  readonly tool: Tool;
  readonly given: Readonly<Record<string, unknown>>;
}

/** A call whose values have their types; defaults and fixed values are included. */
export interface CoercedCall extends ResolvedCall {
  readonly values: ArgValues;
  /** Keys that were sent and name no argument. */
  readonly unknown: readonly string[];
  /** True if the call asks to continue in the background at once. */
  readonly wantsJob: boolean;
}

export interface ReadyCall extends CoercedCall {
  readonly ok: true;
  readonly plan: Plan;
}

/**
 * `asked`: the call ended with the question, and its client sends it again with the answer. `waiting`: a person can
 * answer elsewhere.
 */
export type Confirmation =
  | "accepted"
  | "declined"
  | "cancelled"
  | "not asked"
  | "asked"
  | "waiting";

interface AskedPerson {
  /** The plan that the person saw; after a yes, no other plan is run. */
  readonly preview: PlanPreview;
  readonly confirmation: Confirmation;
  readonly approval?: Approval | undefined;
  readonly waitedMs: number;
}

/** Several calls to which a person has agreed together. */
export interface AgreedCalls {
  /** Other calls are refused; otherwise each is asked about until the agreed calls are made, and then by the policy. */
  readonly isExact: boolean;
  /** The number of agreed calls that are not made yet. */
  readonly left: number;
  /** The answer, if it is remembered or came from elsewhere. */
  readonly approval?: Approval | undefined;
  /** Returns whether the call with this `textOfCall` is the next agreed one, and counts it. */
  take(text: string): boolean;
}

export interface CallOptions extends PlanOptions {
  /** A time from `performance.now()` before which the request was read. @default the time of the call */
  readonly arrivedAt?: number | undefined;
  /** The place of the call among those of its client. @default it waits for none of them */
  readonly ticket?: Ticket | undefined;
  /** The id of the script that makes the call, for the audit log. The script gets the result without a bound. */
  readonly parent?: string | undefined;
  /** The calls to which the person has agreed. */
  readonly agreed?: AgreedCalls | undefined;
  /** Refuses the tool that the call has found, whatever name it was called by. */
  readonly refuses?: ((tool: Tool) => Refusal | undefined) | undefined;
  /** The answer of the person with which the call is repeated, see {@linkcode Ask}. */
  readonly answer?: Answer | undefined;
  /** The client knows the output schema of the tool, if there is one. @default false */
  readonly knowsSchema?: boolean | undefined;
  /** The level of the log line of a failed call. @default warning */
  readonly failureLevel?: LogLevel | undefined;
  /** Awaited before the run; resolves when the client can receive another answer. */
  readonly mayStart?: (() => Promise<void> | undefined) | undefined;
}

export interface ReceivedCall extends Pick<CallOptions, "arrivedAt" | "ticket"> {
  readonly context: CallContext;
  readonly request: CallRequest;
  readonly options: CallOptions;
  /** The time of the call, from `performance.now()`. */
  readonly receivedAt: number;
  /** Milliseconds that it has waited for the calls before it. */
  readonly queuedMs?: number;
}

export interface PlannedCall extends ReceivedCall, ReadyCall {
  readonly context: CallContext;
  /** The confirmation, if the policy demands one. */
  readonly asked?: AskedPerson;
  /** The reason why the call asks. */
  readonly reason?: string;
  /** The parts of the question beside the plan. */
  readonly trial?: Trial;
}

/** The parts of a question beside the plan, and the state on which a yes depends. */
export interface Trial {
  /** `shown`: the effect of the call, by `saidBy`. `failed`: why it is unknown. `withheld`: why it was not tried. */
  readonly outcome?: "shown" | "failed" | "withheld";
  readonly text?: string;
  readonly saidBy?: string | undefined;
  /** A yes is valid for this state of the project, see `Plan.projectState`. */
  readonly state?: string;
  /** The part of the audit log's entry about the run and its end. */
  readonly record?: Readonly<Record<string, unknown>>;
}

/** A call that may run as a background job. */
export interface ScheduledCall extends PlannedCall {
  /** A permit of the background jobs, in addition to those of every call. */
  readonly jobPermits?: FairSemaphore;
  /** Called right before the run. Returns the reason why the call must not run. */
  readonly onStart?: () => string | undefined;
  /** The call has waited for a permit, so that earlier checks may no longer hold. */
  readonly hasWaited?: boolean;
}

/** A call that was refused, with the findings of the stages before the refusal. */
type RefusedCall =
  & ReceivedCall
  & Pick<PlannedCall, "asked" | "trial">
  & Partial<Pick<PlannedCall, "tool" | "values">>;

/** The end of a call, with the call as the stages have changed it. */
export type Ended =
  | { readonly kind: "completed"; readonly call: PlannedCall; readonly result: CallResult }
  | { readonly kind: "refused"; readonly call: RefusedCall; readonly refusal: Refusal };

/** The outcome of a stage. The outcome of a background job has a completion, which is an outcome too. */
export type Outcome =
  | Ended
  /** The audit log cannot be written. */
  | { readonly kind: "unaudited"; readonly text: string }
  | {
    readonly kind: "background";
    readonly job: Job;
    readonly completion: Promise<Outcome>;
    /** True if the call asked to become a job. */
    readonly isAtOnce?: boolean;
  };

/** The remaining stages. A stage that waits for nothing returns no promise: a call has sixteen stages. */
export type Next<Call> = (call: Call) => Outcome | Promise<Outcome>;

export type Stage<In, Out = In> = (call: In, next: Next<Out>) => Outcome | Promise<Outcome>;

interface Pipeline<In, Out> {
  use<Refined>(stage: Stage<Out, Refined>): Pipeline<In, Refined>;
  end(last: Next<Out>): Next<In>;
}

/** Starts an empty chain. */
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

/** Turns a function that adds to a call or refuses it into a stage. */
export function step<In extends ReceivedCall, Out>(
  advance: (call: In) => Out | Refusal | Promise<Out | Refusal>,
): Stage<In, Exclude<Out, Refusal>> {
  return (call, next) => {
    const proceed = (advanced: Out | Refusal) =>
      isRefused(advanced as object)
        ? outcomeOfRefusal(call, advanced as Refusal)
        : next(advanced as Exclude<Out, Refusal>);
    const advanced = advance(call);
    return advanced instanceof Promise ? advanced.then(proceed) : proceed(advanced);
  };
}

export function completeCall(call: PlannedCall, result: CallResult): Outcome {
  return { kind: "completed", call, result };
}

export function outcomeOfRefusal(call: RefusedCall, refusal: Refusal): Outcome {
  return { kind: "refused", call, refusal };
}

/** Refuses a call, or withholds its result, because the audit log cannot be written. */
export function outcomeWithoutAudit(text: string): Outcome {
  return { kind: "unaudited", text };
}

export function notStarted(text: string): CallResult {
  return { ...textResult(text, true), record: { ending: "not started: other" } };
}

/** Applies `change` to the outcome of a call that has ended, or later to that of its job. */
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
      // A question to the person is no failure
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

/** Returns the result of a running job; `output` is the printed text to show. @default the last line */
export function resultOfRunning(view: JobView, output = lastLine(view)): CallResult {
  const text = `[still running: ${formatCall(resultTool, { id: view.id, wait: 45 })}]`;
  const only = "[only the instance that runs it can answer: the shared store cannot]";
  const lines = [...output, text, ...(view.isLocal ? [only] : [])];
  return { ...textResult(lines.join("\n")), job: view };
}

/** Returns the last line of output of a job, if any, as a line of a result. */
export function lastLine({ lastLine }: JobView): string[] {
  return lastLine === undefined ? [] : [`[last line: ${JSON.stringify(lastLine)}]`];
}
