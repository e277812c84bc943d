/**
 * A call as a chain of stages. A stage gets the call and the stage after it: it may add to the call, answer
 * itself, or look at the outcome on its way back. The compiler checks the order.
 */

import { type CallResult, textResult } from "../tool/result.ts";
import type { LogLevel } from "../log.ts";
import type { PlanOptions } from "../tool/runner.ts";
import type { AskedPerson } from "./asked_person.ts";
import type { CallContext } from "./context.ts";
import type { Job } from "../jobs/job.ts";
import type { CallRequest, ReadyCall } from "./prepared_call.ts";
import type { FairSemaphore } from "../async/semaphore.ts";
import { isRefused, type RefusedCall, withSignature } from "./refusal.ts";

/** Options of one call. */
export interface CallOptions extends PlanOptions {
  /** The client's name, for the audit log. */
  readonly client?: string | undefined;
  /** Level of the log line of a call that failed. @default warning */
  readonly failureLevel?: LogLevel | undefined;
  /** Awaited when it is this call's turn: resolves when its answer can be taken. */
  readonly mayStart?: (() => Promise<void> | undefined) | undefined;
}

/** A call as it came in. */
export interface ReceivedCall {
  readonly context: CallContext;
  readonly request: CallRequest;
  readonly options: CallOptions;
  /** Milliseconds, as `performance.now()` counts them. */
  readonly receivedAt: number;
}

/** A call with its plan. */
export interface PlannedCall extends ReceivedCall, ReadyCall {
  readonly context: CallContext;
  /** The question to a person and the answer, where the policy wants one. */
  readonly asked?: AskedPerson;
}

/** A call that may run as a background job. */
export interface ScheduledCall extends PlannedCall {
  /** Where it needs a permit in addition to those of every call. */
  readonly jobPermits?: FairSemaphore;
  /** Called when nothing else is in the way. Returns the reason why the call must not run. */
  readonly onStart?: () => string | undefined;
}

/** How a call ended, with the call as far as it got. */
export type Ended =
  | { readonly kind: "completed"; readonly call: PlannedCall; readonly result: CallResult }
  | {
    readonly kind: "refused";
    readonly call: ReceivedCall & Pick<PlannedCall, "asked">;
    readonly refusal: RefusedCall;
  };

/** What a stage returns. A background job is an outcome whose completion is an outcome. */
export type Outcome =
  | Ended
  /** There is no log that could have the call. */
  | { readonly kind: "unaudited"; readonly text: string }
  | { readonly kind: "background"; readonly job: Job; readonly completion: Promise<Outcome> };

/** The stages that are left. */
export type Next<Call> = (call: Call) => Promise<Outcome>;

/** One stage of a call. */
export type Stage<In, Out = In> = (call: In, next: Next<Out>) => Promise<Outcome>;

/** Stages that take `In` and hand on `Out`. */
export interface Pipeline<In, Out> {
  use<Refined>(stage: Stage<Out, Refined>): Pipeline<In, Refined>;
  end(last: Next<Out>): Next<In>;
}

/** Begins a chain of stages. */
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

/** A stage that adds to a call or refuses it. */
export function step<In extends ReceivedCall, Out>(
  advance: (call: In) => Out | RefusedCall | Promise<Out | RefusedCall>,
): Stage<In, Exclude<Out, RefusedCall>> {
  return async (call, next) => {
    const advanced = await advance(call);
    return isRefused(advanced as object)
      ? refused(call, withSignature(advanced as RefusedCall, call.context))
      : await next(advanced as Exclude<Out, RefusedCall>);
  };
}

/** The call was run. */
export function completed(call: PlannedCall, result: CallResult): Outcome {
  return { kind: "completed", call, result };
}

/** The call was not run. */
export function refused(
  call: ReceivedCall & Pick<PlannedCall, "asked">,
  refusal: RefusedCall,
): Outcome {
  return { kind: "refused", call, refusal };
}

/** The call was not run, or its result is withheld: no log can have it. */
export function unaudited(text: string): Outcome {
  return { kind: "unaudited", text };
}

/** A result that says why a call was not started. */
export function notStarted(text: string): CallResult {
  return { ...textResult(text, true), record: { ending: "not started: other" } };
}

/** Applies `change` when the call has ended: now, or when its job has. */
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
