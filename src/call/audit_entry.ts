/** What a call came to, as the audit log has it: a common part, and what its plan shows. */

import { excerpt } from "../text/excerpt.ts";
import type { CallResult } from "../tool/result.ts";
import { cutValue } from "./_cut.ts";
import type { AuditEntry } from "./audit.ts";
import type { Shown } from "../tool/runner.ts";
import type { Confirmation } from "./consent.ts";
import type { CallRequest, Prepared } from "./prepare.ts";

/** Everything that is known of a call when it is over. */
export interface CallReport {
  readonly request: CallRequest;
  readonly prepared: Prepared;
  /** Absent when the call was refused. */
  readonly result: CallResult | undefined;
  readonly client: string | undefined;
  readonly durationMs: number;
  /** Id of the job that it goes on as. */
  readonly job?: string | undefined;
  /** What a person was asked about, and said; absent where nobody had to be asked. */
  readonly asked?: AskedPerson | undefined;
}

/** A question to a person, and what became of it. */
export interface AskedPerson {
  /** The plan that was shown, which is run after a yes and no other. */
  readonly shown: Shown;
  readonly confirmation: Confirmation;
  readonly waitedMs: number;
}

/** The entry for `report`, secret values masked and long ones cut. */
export function auditEntry(report: CallReport): AuditEntry {
  const { request, prepared, result, client = "unknown", asked } = report;
  const { stdout_bytes, stderr_bytes, ...ending } = result?.record ?? {};
  const entry: AuditEntry = {
    time: new Date().toISOString(),
    client,
    tool: excerpt(request.tool, 200),
    ...(prepared.ok
      ? {
        decision: "allowed",
        rule: prepared.tool.rule ?? "no policy",
        ...(report.job === undefined ? {} : { job: report.job }),
        ...prepared.plan.shown.record,
        ...ending,
      }
      : {
        decision: "refused",
        rule: prepared.rule,
        ...asked?.shown.record,
        refusal: prepared.shownText,
      }),
    ...(asked === undefined ? {} : {
      confirmation: asked.confirmation,
      confirmation_ms: Math.round(asked.waitedMs),
    }),
    duration_ms: Math.round(report.durationMs),
    stdout_bytes: stdout_bytes ?? 0,
    stderr_bytes: stderr_bytes ?? 0,
  };
  return cutValue(entry) as AuditEntry;
}
