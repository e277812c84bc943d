/**
 * START HERE for one call: find → check → build the command line → run → text. Discovery, classic
 * mode and the command line all end in {@linkcode call}, so the same tool and arguments give the
 * same text everywhere.
 */

import type { Outcome } from "../exec/invocation.ts";
import type { NoPlace, Release } from "./queue.ts";
import { run, type RunOptions, unstarted } from "../exec/run.ts";
import { log } from "../log.ts";
import type { Tool } from "../tool/tool.ts";
import { auditEntry } from "./audit_entry.ts";
import type { CallContext } from "./context.ts";
import { formatOutcome, isFailure } from "../sources/command/output.ts";
import { type CallRequest, prepareCall, type ReadyCall } from "./prepare.ts";

/** What an agent gets back. */
export interface CallResult {
  readonly text: string;
  /** A refusal, or anything but exit code 0. */
  readonly isError: boolean;
}

/** What is particular to one call. */
export interface CallOptions extends Pick<RunOptions, "signal" | "hurry" | "onOutput"> {
  /** Who calls, for the audit log. */
  readonly client?: string | undefined;
}

/** Carries out one call; never throws for anything the agent or the program did. */
export async function call(
  context: CallContext,
  request: CallRequest,
  options: CallOptions = {},
): Promise<CallResult> {
  const unaudited = context.audit?.catchUp();
  if (unaudited !== undefined) return refused(`Call refused: ${unaudited}`);

  const started = performance.now();
  const prepared = await prepareCall(context, request);
  const outcome = prepared.ok ? await runInTurn(context, prepared, options) : undefined;
  const report = { request, prepared, outcome, client: options.client };
  const entry = auditEntry({ ...report, durationMs: performance.now() - started });
  log("info", `${entry.tool}: ${entry.ending ?? entry.refusal} after ${entry.duration_ms} ms`);
  const unrecorded = context.audit?.record(entry);
  if (unrecorded !== undefined) return refused(`Result withheld: ${unrecorded}`);

  if (!prepared.ok) return refused(prepared.text);
  const text = formatOutcome(outcome!, prepared.invocation, context.settings);
  return { text, isError: isFailure(outcome!) };
}

function refused(text: string): CallResult {
  return { text, isError: true };
}

/** Waits for a place, runs and gives the place back; the timeout counts from the start of the run. */
async function runInTurn(
  context: CallContext,
  { tool, invocation, shownArgv }: ReadyCall,
  options: CallOptions,
): Promise<Outcome> {
  const { settings } = context;
  const place = await acquirePlace(context, tool, options.signal);
  if (place === "cancelled") return unstarted({ kind: "cancelled" });
  if (place === "full") {
    const detail = "too many calls are waiting, try again later";
    return unstarted({ kind: "not started", failure: "other", detail });
  }
  try {
    log("debug", `running ${JSON.stringify(shownArgv)}`);
    const { keepBytes = settings.keepBytes } = tool;
    return await run(invocation, { ...options, graceMs: settings.graceMs, keepBytes });
  } finally {
    place();
  }
}

/** The tool's own place first, so that a serial tool's callers do not hold places of others. */
async function acquirePlace(
  { queue, toolQueues }: CallContext,
  tool: Tool,
  signal: AbortSignal | undefined,
): Promise<Release | NoPlace> {
  const own = await toolQueues.get(tool.name)?.acquire(signal);
  if (typeof own === "string") return own;
  const shared = await queue.acquire(signal);
  if (own === undefined) return shared;
  if (typeof shared === "string") {
    own();
    return shared;
  }
  return () => {
    shared();
    own();
  };
}
