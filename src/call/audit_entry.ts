/** The audit log entry of a call: a common part, and the record of its plan. */

import { io } from "../io.ts";
import { excerpt } from "../text/excerpt.ts";
import { cutValue } from "./_cut.ts";
import type { AuditEntry } from "./audit_log.ts";
import type { Ended } from "./pipeline.ts";

/** The entry of a call that has ended, or continues as `job`. Secret values are masked and long ones cut. */
export function auditEntry(ended: Ended, job?: string): AuditEntry {
  const { request, options: { client = "unknown", parent, trace }, receivedAt, asked } = ended.call;
  const record = ended.kind === "completed" ? ended.result.record : undefined;
  const { stdout_bytes, stderr_bytes, ...ending } = record ?? {};
  const { profile } = io();
  const entry: AuditEntry = {
    time: new Date().toISOString(),
    ...(trace === undefined ? {} : { trace_id: trace.traceId }),
    ...(trace?.spanId === undefined ? {} : { span_id: trace.spanId }),
    client,
    ...(profile === undefined ? {} : { profile }),
    tool: excerpt(request.tool, 200),
    ...(parent === undefined ? {} : { parent }),
    ...(ended.kind === "completed"
      ? {
        decision: "allowed",
        rule: ended.call.tool.rule ?? "no policy",
        ...(job === undefined ? {} : { job }),
        ...ended.call.plan.preview.record,
        ...ending,
      }
      : {
        decision: "refused",
        rule: ended.refusal.rule,
        ...asked?.preview.record,
        refusal: ended.refusal.shownText,
      }),
    ...(asked === undefined ? {} : {
      confirmation: asked.confirmation,
      confirmation_ms: Math.round(asked.waitedMs),
    }),
    duration_ms: Math.round(performance.now() - receivedAt),
    stdout_bytes: stdout_bytes ?? 0,
    stderr_bytes: stderr_bytes ?? 0,
  };
  return cutValue(entry) as AuditEntry;
}
