/** What a call came to, as the audit log has it. */

import { excerpt } from "../text/excerpt.ts";
import type { Outcome } from "../exec/invocation.ts";
import type { AuditEntry } from "./audit.ts";
import type { CallRequest, Prepared, ReadyCall } from "./prepare.ts";

/** Everything that is known of a call when it is over. */
export interface CallReport {
  readonly request: CallRequest;
  readonly prepared: Prepared;
  /** Absent when the call was refused. */
  readonly outcome: Outcome | undefined;
  readonly client: string | undefined;
  readonly durationMs: number;
}

/** The entry for `report`, secret values masked. */
export function auditEntry(report: CallReport): AuditEntry {
  const { request, prepared, outcome, client = "unknown" } = report;
  return {
    time: new Date().toISOString(),
    client,
    tool: excerpt(request.tool, 200),
    ...(prepared.ok ? ran(prepared, outcome!) : {
      decision: "refused",
      rule: prepared.rule,
      refusal: prepared.shownText,
    }),
    duration_ms: Math.round(report.durationMs),
    stdout_bytes: outcome?.stdout.bytes ?? 0,
    stderr_bytes: outcome?.stderr.bytes ?? 0,
  };
}

function ran(
  { tool, shownArgv, shownCwd }: ReadyCall,
  { ending }: Outcome,
): Pick<AuditEntry, "decision" | "rule" | "argv" | "cwd" | "ending" | "exit_code"> {
  return {
    decision: "allowed",
    rule: tool.rule ?? "no policy",
    argv: shownArgv,
    ...(shownCwd === undefined ? {} : { cwd: shownCwd }),
    ending: describeEnding(ending),
    ...(ending.kind === "exited" ? { exit_code: ending.code } : {}),
  };
}

function describeEnding(ending: Outcome["ending"]): string {
  switch (ending.kind) {
    case "signalled":
      return `signal ${ending.signal}`;
    case "not started":
      return `not started: ${ending.failure}`;
    default:
      return ending.kind;
  }
}
