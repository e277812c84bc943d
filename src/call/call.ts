/**
 * START HERE for one call: find → check → build the command line → run → text. Discovery, classic
 * mode and the command line all end in {@linkcode call}, so the same tool and arguments give the
 * same text everywhere.
 */

import type { Invocation, Outcome } from "../exec/invocation.ts";
import { run, type RunOptions, unstarted } from "../exec/run.ts";
import { log } from "../log.ts";
import type { CallContext } from "./context.ts";
import { formatOutcome, isFailure } from "./format.ts";
import { type CallRequest, prepareCall } from "./prepare.ts";

/** What an agent gets back. */
export interface CallResult {
  readonly text: string;
  /** A refusal, or anything but exit code 0. */
  readonly isError: boolean;
}

/** What is particular to one call. */
export type CallOptions = Pick<RunOptions, "signal" | "hurry" | "onOutput">;

/** Carries out one call; never throws for anything the agent or the program did. */
export async function call(
  context: CallContext,
  request: CallRequest,
  options: CallOptions = {},
): Promise<CallResult> {
  const prepared = prepareCall(context.index, request);
  if (!prepared.ok) {
    log("info", `refused ${request.tool}: ${prepared.text}`);
    return { text: prepared.text, isError: true };
  }

  const { invocation } = prepared;
  const outcome = await runInTurn(context, invocation, options);
  log("info", `${request.tool}: ${outcome.ending.kind} after ${Math.round(outcome.durationMs)} ms`);
  const text = formatOutcome(outcome, invocation, { keepAnsi: context.settings.keepAnsi });
  return { text, isError: isFailure(outcome) };
}

/** Waits for a place, runs and gives the place back; the timeout counts from the start of the run. */
async function runInTurn(
  { queue, settings }: CallContext,
  invocation: Invocation,
  options: CallOptions,
): Promise<Outcome> {
  const place = await queue.acquire(options.signal);
  if (place === "cancelled") return unstarted({ kind: "cancelled" });
  if (place === "full") {
    const detail = "too many calls are waiting, try again later";
    return unstarted({ kind: "not started", failure: "other", detail });
  }
  try {
    log("debug", `running ${JSON.stringify(invocation.argv)}`);
    return await run(invocation, { ...options, ...settings });
  } finally {
    place();
  }
}
