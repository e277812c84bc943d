/**
 * START HERE for one call: find → check → build the command line → run → text. Discovery, classic
 * mode and the command line all end in {@linkcode call}, so the same tool and arguments give the
 * same text everywhere.
 */

import type { ToolIndex } from "../catalog/tool_index.ts";
import { run, type RunOptions } from "../exec/run.ts";
import { log } from "../log.ts";
import { formatOutcome, isFailure } from "./format.ts";
import { type CallRequest, prepareCall } from "./prepare.ts";

/** What an agent gets back. */
export interface CallResult {
  readonly text: string;
  /** A refusal, or anything but exit code 0. */
  readonly isError: boolean;
}

/** Carries out one call; never throws for anything the agent or the program did. */
export async function call(
  index: ToolIndex,
  request: CallRequest,
  options: RunOptions = {},
): Promise<CallResult> {
  const prepared = prepareCall(index, request);
  if (!prepared.ok) {
    log("info", `refused ${request.tool}: ${prepared.text}`);
    return { text: prepared.text, isError: true };
  }

  const { invocation } = prepared;
  log("debug", `running ${JSON.stringify(invocation.argv)}`);
  const outcome = await run(invocation, options);
  log("info", `${request.tool}: ${outcome.ending.kind} after ${Math.round(outcome.durationMs)} ms`);
  return { text: formatOutcome(outcome, invocation), isError: isFailure(outcome) };
}
