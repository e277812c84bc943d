/** The stage that logs calls: each before its result is returned. While the log cannot be written, it refuses them. */

import { messageOf } from "../errors.ts";
import { isLogged, log } from "../log.ts";
import { effectOf, effectOfCall } from "../tool/annotations.ts";
import { textOf, textResult } from "../tool/result.ts";
import { type ArgValues, commandKind, type Tool } from "../tool/tool.ts";
import { maskValues } from "../tool/value.ts";
import type { Approval } from "./approvals.ts";
import type { AuditEntry } from "./audit_log.ts";
import type { CallContext } from "./context.ts";
import type { Job } from "../jobs/job.ts";
import {
  type Ended,
  type Outcome,
  outcomeOfRefusal,
  type PlannedCall,
  type ReceivedCall,
  resultOf,
  type Stage,
  whenEnded,
} from "./pipeline.ts";
import { sentenceOf } from "./question.ts";
import { refusal, refusalLogText } from "./refusal.ts";
import { noPolicy } from "../policy/policy_file.ts";
import { io } from "../io.ts";
import { withoutUndefined } from "../text/own_property.ts";
import { escapeJson } from "../text/escape.ts";
import { excerpt } from "../text/excerpt.ts";
import { endWithin } from "../text/lines.ts";
import { estimateTokens } from "../text/tokens.ts";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";

export const audit: Stage<ReceivedCall> = async (call, next) => {
  const reason = call.context.audit?.catchUp();
  if (reason !== undefined) return { kind: "unaudited", text: `Call refused: ${reason}` };
  const received = { ...call, receivedAt: performance.now() };
  const fail = (error: unknown): Outcome => failedOutcome(received, error);
  const outcome = await Promise.try(next, received).catch(fail);
  const completed = outcome.kind === "background"
    ? { ...outcome, completion: outcome.completion.catch(fail) }
    : outcome;
  return whenEnded(completed, record);
};

const internalError = "internal error";

/** Returns the outcome of a call in which climax itself failed; it is logged, since the call may have run. */
function failedOutcome(call: ReceivedCall, error: unknown): Outcome {
  log("error", `${excerpt(call.request.tool, 200)}: ${messageOf(error)}`);
  const text = "Call failed by a fault of climax: it is not known if it was carried out";
  return outcomeOfRefusal(
    call,
    refusal(`${text}: ${excerpt(messageOf(error), 500)}`, internalError),
  );
}

function record(ended: Ended, job?: Job): Outcome {
  const { context, options: { failureLevel = "warning" } } = ended.call;
  const level = isFine(ended) ? "info" : failureLevel;
  if (context.audit === undefined && !isLogged(level)) return ended;
  const entry = redactEntry(auditEntry(ended, job?.id), context);
  log(level, callLine(entry));
  const unrecorded = context.audit?.record(entry);
  return unrecorded === undefined
    ? ended
    : { kind: "unaudited", text: `Result withheld: ${unrecorded}` };
}

function redactEntry(entry: AuditEntry, { redact }: Pick<CallContext, "redact">): AuditEntry {
  return redact === undefined ? entry : JSON.parse(redact(JSON.stringify(entry)));
}

/** Returns whether a call did not fail. A cancelled call has not failed, since its client wanted it to end. */
function isFine(ended: Ended): boolean {
  if (ended.kind === "refused") {
    return /^(?:asked|waiting)$/.test(ended.call.asked?.confirmation ?? "");
  }
  return !ended.result.isError || ended.result.record?.ending === "cancelled";
}

export function recordStart(call: PlannedCall, job: Job): string | undefined {
  const result = { ...textResult(""), record: { ending: "still running" } };
  const entry = redactEntry(auditEntry({ kind: "completed", call, result }, job.id), call.context);
  const unrecorded = call.context.audit?.recordBefore(entry);
  if (unrecorded === undefined) log("info", callLine(entry));
  return unrecorded;
}

function auditEntry(ended: Ended, job?: string): AuditEntry {
  const { request, tool, values, receivedAt, asked, trial, options } = ended.call;
  const { client = "unknown", parent, trace } = options;
  const record = ended.kind === "completed" ? ended.result.record : undefined;
  const { stdout_bytes = 0, stderr_bytes = 0, ...ending } = record ?? {};
  const isOfCommand = values !== undefined && tool?.source.kind === commandKind;
  const entry = withoutUndefined<AuditEntry>({
    time: new Date().toISOString(),
    trace_id: trace?.traceId,
    span_id: trace?.spanId,
    client,
    profile: io().profile,
    tool: excerpt(request.tool, 200),
    named: request.named && excerpt(request.named, 200),
    parent,
    effect: tool && (values === undefined ? effectOf(tool) : effectOfCall(tool, values)),
    ...(isOfCommand && { arguments: givenArguments(tool, values) }),
    ...(ended.kind === "completed"
      ? {
        decision: "allowed",
        rule: ended.call.tool.rule ?? noPolicy,
        job,
        ...ended.call.plan.preview.record,
        ...ending,
      }
      : {
        decision: ended.refusal.rule === internalError ? "failed" : "refused",
        rule: ended.refusal.rule,
        ...asked?.preview.record,
        refusal: refusalLogText(ended.refusal),
      }),
    ...(trial?.record && { trial: trial.record }),
    ...(asked && {
      question: tool && values &&
        sentenceOf({ tool, values, plan: asked, ...(trial && { trial }) }),
      confirmation: asked.confirmation,
      confirmation_ms: Math.round(asked.waitedMs),
      approval: asked.approval && approvalRecord(asked.approval),
    }),
    duration_ms: Math.round(performance.now() - receivedAt),
    stdout_bytes,
    stderr_bytes,
    tokens: tokensOf(textOf(resultOf(ended))),
  });
  return cutEntry(entry);
}

/** Estimates the tokens of a text. Of a long text only the beginning is counted, since the client waits meanwhile. */
function tokensOf(text: string): number {
  const share = Math.max(1, text.length / 8192);
  return Math.round(share * estimateTokens(share === 1 ? text : text.slice(0, 8192)));
}

const shownRoles = /^(?:positional|flag|placed|cwd|lines|json)$/;

function givenArguments(tool: Tool, values: ArgValues): Record<string, unknown> {
  const given = tool.args.filter(({ name, fixed, default: usual }) => {
    return values.has(name) && fixed === undefined && values.get(name) !== usual;
  });
  return maskValues(
    tool,
    given.map(({ name, role }) => [name, shownRoles.test(role.kind) ? values.get(name) : "***"]),
  );
}

export function approvalRecord({ choice, by, how, at }: Approval): object {
  return { choice, by, how, time: new Date(at).toISOString() };
}

/** Returns a log line of a call, such as `TOOL: exited with 0 after 5 ms`, or `TOOL: refused: why`. */
export function callLine(entry: AuditEntry): string {
  const { tool, job, ending, exit_code: code, fits, refusal, duration_ms: duration } = entry;
  if (refusal !== undefined) {
    const line = refusal.replaceAll(/(:?)\n *(?:- )?/g, (_, colon) => colon ? ": " : "; ");
    return `${tool}: refused: ${line}`;
  }
  const how = code === undefined ? ending : `${ending} with ${code}`;
  const which = job === undefined ? tool : `${tool} (job ${job})`;
  const what = fits === false ? ", and its result does not fit output_schema" : "";
  return `${which}: ${how} after ${duration} ms${what}`;
}

/** The most bytes of a line of the audit log, without the keys `instance` and `sequence`. */
export const maxLineBytes = 65_536;

interface Bounds {
  readonly textBytes: number;
  readonly items: number;
  /** The number of levels of nested lists and maps that are logged; of deeper ones, the log has no items. */
  readonly depth: number;
}

const bounds: readonly Bounds[] = [
  { textBytes: 4096, items: 1000, depth: Infinity },
  { textBytes: 256, items: 50, depth: Infinity },
  { textBytes: 256, items: 20, depth: 1 },
];

function cutEntry(entry: AuditEntry): AuditEntry {
  const cuts = bounds.values().map((each) => cutValue(entry, each));
  return cuts.find((cut, at) => {
    const json = JSON.stringify(cut);
    return at === bounds.length - 1 ||
      json.length <= maxLineBytes && Buffer.byteLength(escapeJson(json)) <= maxLineBytes;
  }) as AuditEntry;
}

/** Cuts long texts, lists and maps in `value` (JSON), and adds the length of each whole one. */
function cutValue(value: unknown, bounds: Bounds, level = 0, isCovered = false): unknown {
  if (typeof value === "string") return cutText(value, bounds);
  if (typeof value !== "object" || value === null) return value;
  const { items, depth } = bounds;
  const markOf = isCovered ? countOf : hashOf;
  if (level > depth) return `[${markOf(value)}]`;
  const isMarked = isCovered || Object.keys(value).length > items;
  const cut = (inner: unknown) => cutValue(inner, bounds, level + 1, isMarked);
  if (Array.isArray(value)) {
    const kept = value.slice(0, items).map(cut);
    return value.length <= items ? kept : [...kept, `… [${markOf(value)}]`];
  }
  const { numbers = [], names = [] } = Object.groupBy(Object.entries(value), ([key]) => {
    return /^\d+$/.test(key) ? "numbers" : "names";
  });
  const all = [...names, ...numbers];
  const kept = all.slice(0, items)
    .map(([key, inner]) => [cutText(key, bounds), cut(inner)] as const);
  if (all.length > items) kept.push(["…", `[${markOf(value)}]`]);
  return Object.fromEntries(kept);
}

function cutText(text: string, { textBytes }: Bounds): string {
  if (text.length * 3 <= textBytes) return text;
  const bytes = Buffer.from(text);
  if (bytes.length <= textBytes) return text;
  const kept = bytes.subarray(0, endWithin(bytes, textBytes)).toString();
  return `${kept}… [${bytes.length} bytes, sha256 ${hash(bytes)}]`;
}

function countOf(value: object): string {
  return Array.isArray(value) ? `${value.length} items` : `${Object.keys(value).length} keys`;
}

function hashOf(value: object): string {
  return `${countOf(value)}, sha256 ${hash(Buffer.from(JSON.stringify(value)))}`;
}

function hash(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
