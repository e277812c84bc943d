/**
 * START HERE for one call: find → coerce → where it runs → check → plan → consent → run → result.
 * Discovery, classic mode, sub-agents and the command line all end in {@linkcode call}, so the same tool
 * and arguments give the same answer everywhere.
 */

import { isLogged, log, type LogLevel } from "../log.ts";
import { type CallResult, textResult } from "../tool/result.ts";
import type { PlanOptions } from "../tool/runner.ts";
import { isBuiltin, type Tool } from "../tool/tool.ts";
import { prepareAgain } from "./again.ts";
import { type AskedPerson, auditEntry, type CallReport } from "./audit_entry.ts";
import { boundResult } from "./bound.ts";
import { callLine } from "./call_line.ts";
import { askConsent } from "./consent.ts";
import type { CallContext } from "./context.ts";
import { type BeginningOfRun, goesOnAfter, goOn, shownOutput } from "./going_on.ts";
import {
  type CallRequest,
  prepareCall,
  type Prepared,
  type ReadyCall,
  type RefusedCall,
} from "./prepare.ts";
import type { Asker, NoPlace, Release, RunQueue } from "./queue.ts";

/** What is particular to one call. */
export interface CallOptions extends PlanOptions {
  /** Who calls, for the audit log. */
  readonly client?: string | undefined;
  /** Level of the log line of a call that came to nothing. @default warning */
  readonly failureLevel?: LogLevel | undefined;
  /** Awaited when it is this call's turn: resolves when what it comes to can be taken. */
  readonly mayStart?: (() => Promise<void> | undefined) | undefined;
}

/** Carries out one call; never throws for anything the agent or the tool did. */
export async function call(
  context: CallContext,
  request: CallRequest,
  options: CallOptions = {},
): Promise<CallResult> {
  await context.gate.refresh?.();
  const unaudited = context.audit?.catchUp();
  if (unaudited !== undefined) return textResult(`Call refused: ${unaudited}`, true);
  const { closed } = context.gate;
  if (closed !== undefined) return refuseCall(context, request, refusalOf(closed), options);

  const started = performance.now();
  const { prepared, asked, index } = await confirmed(context, request, options);
  const report = (result: CallResult | undefined, job?: string): CallReport => {
    const durationMs = performance.now() - started;
    return { request, prepared, result, client: options.client, durationMs, job, asked };
  };
  if (!prepared.ok) return recorded(context, report(undefined), options);
  const finish = (ran: CallResult | RefusedCall | Unaudited, job?: string) => {
    if (ran instanceof Unaudited) return textResult(`Call refused: ${ran.reason}`, true);
    if ("ok" in ran) return recorded(context, { ...report(undefined), prepared: ran }, options);
    return recorded(context, report(ran, job), options);
  };
  const { tool } = prepared;
  const { goingOn } = context;
  const afterMs = goesOnAfter(goingOn, tool);
  if (goingOn === undefined || afterMs === undefined) {
    return finish(await runInTurn(context, prepared, { ...options, request, index }));
  }
  const tooMany = afterMs === 0 ? goingOn.jobs.refusalFor(options.owner) : undefined;
  if (tooMany !== undefined) return finish(notStarted(tooMany));
  return await goOn(goingOn, {
    tool,
    afterMs,
    options,
    run: (own, beginning) => {
      return runInTurn(context, prepared, { ...own, request, index }, beginning);
    },
    begun: (job) => {
      const entry = auditEntry(report(begunResult, job));
      const unrecorded = context.audit?.recordBefore(entry);
      if (unrecorded === undefined) log("info", callLine(entry));
      return unrecorded;
    },
    finish,
  });
}

/** What the logs have of a call that becomes a job. */
const begunResult: CallResult = { ...textResult(""), record: { ending: "still running" } };

/** What a call came to before it runs. */
interface Confirmed {
  readonly prepared: Prepared;
  readonly asked?: AskedPerson;
  /** What it was found in. */
  readonly index: CallContext["index"];
}

/** A call that was prepared, and to which a person has agreed where the policy wants that. */
async function confirmed(
  context: CallContext,
  request: CallRequest,
  { ask, signal }: CallOptions,
): Promise<Confirmed> {
  let { index } = context;
  const prepared = await prepareCall(context, request);
  if (!prepared.ok || !prepared.tool.needsConsent) return { prepared, index };
  const { shown } = prepared.plan;
  const started = performance.now();
  const { confirmation, refusal } = await askConsent(prepared, ask);
  const asked = { shown, confirmation, waitedMs: performance.now() - started };
  const rule = `${prepared.tool.rule ?? "no policy"}.confirm`;
  if (refusal !== undefined) {
    return { prepared: { ok: false, text: refusal, shownText: refusal, rule }, asked, index };
  }
  // While the person thought about it, links and the catalogue may have changed
  if (signal?.aborted) return { prepared, asked, index };
  const was = { before: prepared, index };
  index = context.index;
  return { prepared: await prepareAgain(context, request, was), asked, index };
}

function refusalOf(closed: string): RefusedCall {
  const text = `Call refused: ${closed}`;
  return { ok: false, text, shownText: text, rule: "policy cannot be read" };
}

/** Answers a call that cannot even name a tool, in the logs as any that is refused. */
export function refuseCall(
  context: CallContext,
  request: CallRequest,
  { text, rule }: Pick<RefusedCall, "text" | "rule">,
  options: CallOptions = {},
): CallResult {
  const unaudited = context.audit?.catchUp();
  if (unaudited !== undefined) return textResult(`Call refused: ${unaudited}`, true);
  const prepared = { ok: false, text, shownText: text, rule } as const;
  const { client } = options;
  const report = { request, prepared, result: undefined, client, durationMs: 0 };
  return recorded(context, report, options);
}

/** What is answered, once the logs have it. */
function recorded(
  context: CallContext,
  report: CallReport,
  { failureLevel = "warning" }: CallOptions,
): CallResult {
  const { prepared, result } = report;
  // Who cancels a call knows
  const isFine = result?.isError === false || result?.record?.ending === "cancelled";
  const level = isFine ? "info" : failureLevel;
  if (context.audit !== undefined || isLogged(level)) {
    const entry = auditEntry(report);
    log(level, callLine(entry));
    const unrecorded = context.audit?.record(entry);
    if (unrecorded !== undefined) return textResult(`Result withheld: ${unrecorded}`, true);
  }
  return prepared.ok ? result! : textResult(prepared.text, true);
}

/** Why a call that might have been run was not: there is no log to have it. */
class Unaudited {
  constructor(readonly reason: string) {}
}

/** What a call that waits has to be looked at again by. */
interface WaitingCall {
  readonly request: CallRequest;
  /** What it was found in. */
  readonly index: CallContext["index"];
}

/** Waits for a place, runs and gives the place back; the timeout counts from the start of the run. */
async function runInTurn(
  context: CallContext,
  before: ReadyCall,
  { request, index, ...options }: CallOptions & WaitingCall,
  beginning?: BeginningOfRun,
): Promise<CallResult | RefusedCall | Unaudited> {
  const place = await acquirePlaces([
    // The tool's own first, so that a serial tool's callers do not hold places of others
    context.toolQueues.get(before.tool.name),
    beginning?.places,
    before.plan.takesPlace === false ? undefined : context.queue,
  ], options);
  if (place === "full") return tooManyWaiting;
  try {
    await options.mayStart?.();
    // The log may have failed since the call came
    const reason = context.audit?.catchUp();
    if (reason !== undefined) return new Unaudited(reason);
    const { closed } = context.gate;
    if (closed !== undefined) return refusalOf(closed);
    const now = context.index === index || options.signal?.aborted
      ? before
      : await prepareAgain(context, request, { before, index });
    if (!now.ok) return now;
    const { tool, plan } = now;
    const unlogged = beginning?.begins();
    if (unlogged !== undefined) return new Unaudited(unlogged);
    log("debug", `running ${plan.shown.line}`);
    // A call that was cancelled while it waited has its plan say so
    return bounded(context, tool, await plan.run(options), options);
  } finally {
    if (place !== "cancelled") place();
  }
}

/** `result` within the tokens that one may cost. */
function bounded(
  { keep, maxResultTokens: maxTokens, goingOn }: CallContext,
  tool: Tool,
  result: CallResult,
  { owner }: CallOptions,
): CallResult {
  // What reads them bounds itself, and what a job came to has been bounded
  if (isBuiltin(tool)) return result;
  return boundResult(result, {
    maxTokens,
    keep: (text) => keep?.(text, owner),
    promisesStructure: shownOutput(goingOn, tool) !== undefined,
  });
}

const tooManyWaiting = notStarted(
  "Command could not be started: too many calls are waiting, try again later",
);

function notStarted(text: string): CallResult {
  return { ...textResult(text, true), record: { ending: "not started: other" } };
}

/** A place in each of `queues`, in that order. */
async function acquirePlaces(
  queues: readonly (RunQueue | undefined)[],
  asker: Asker,
): Promise<Release | NoPlace> {
  const places: Release[] = [];
  const release = () => places.toReversed().forEach((place) => place());
  for (const queue of queues) {
    const place = await queue?.acquire(asker);
    if (typeof place === "string") {
      release();
      return place;
    }
    if (place !== undefined) places.push(place);
  }
  return release;
}
