/** Refuses calls while the log cannot be written, and writes the entry before the result is returned. */

import { isLogged, log } from "../../log.ts";
import { textResult } from "../../tool/result.ts";
import { auditEntry } from "../audit_entry.ts";
import type { AuditEntry } from "../audit_log.ts";
import { callLine } from "../call_line.ts";
import type { CallContext } from "../context.ts";
import type { Job } from "../../jobs/job.ts";
import {
  type Ended,
  type Outcome,
  type PlannedCall,
  type ReceivedCall,
  type Stage,
  unaudited,
  whenEnded,
} from "../pipeline.ts";

export const audit: Stage<ReceivedCall> = async (call, next) => {
  const reason = call.context.audit?.catchUp();
  if (reason !== undefined) return unaudited(`Call refused: ${reason}`);
  return whenEnded(await next({ ...call, receivedAt: performance.now() }), record);
};

function record(ended: Ended, job?: Job): Outcome {
  const { context, options: { failureLevel = "warning" } } = ended.call;
  const level = isFine(ended) ? "info" : failureLevel;
  if (context.audit === undefined && !isLogged(level)) return ended;
  const entry = redacted(auditEntry(ended, job?.id), context);
  log(level, callLine(entry));
  const unrecorded = context.audit?.record(entry);
  return unrecorded === undefined ? ended : unaudited(`Result withheld: ${unrecorded}`);
}

function redacted(entry: AuditEntry, { redact }: Pick<CallContext, "redact">): AuditEntry {
  return redact === undefined ? entry : JSON.parse(redact(JSON.stringify(entry)));
}

/** A cancelled call is no failure: its client asked for it. */
function isFine(ended: Ended): boolean {
  if (ended.kind === "refused") return ended.call.asked?.confirmation === "asked";
  return !ended.result.isError || ended.result.record?.ending === "cancelled";
}

/** Writes the entry of a call that becomes a job. Returns the reason if the log cannot be written. */
export function recordStart(call: PlannedCall, job: Job): string | undefined {
  const result = { ...textResult(""), record: { ending: "still running" } };
  const entry = redacted(auditEntry({ kind: "completed", call, result }, job.id), call.context);
  const unrecorded = call.context.audit?.recordBefore(entry);
  if (unrecorded === undefined) log("info", callLine(entry));
  return unrecorded;
}
