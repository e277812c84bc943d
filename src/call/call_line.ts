/** The log line of a call. */

import type { AuditEntry } from "./audit_log.ts";

/** `TOOL: how it ended after N ms`, or `TOOL: refused: why`. */
export function callLine(entry: AuditEntry): string {
  const { tool, job, ending, exit_code: code, fits, refusal, duration_ms: duration } = entry;
  if (refusal !== undefined) return `${tool}: refused: ${oneLine(refusal)}`;
  const how = code === undefined ? ending : `${ending} with ${code}`;
  const which = job === undefined ? tool : `${tool} (job ${job})`;
  const what = fits === false ? ", and its result does not fit output_schema" : "";
  return `${which}: ${how} after ${duration} ms${what}`;
}

/** Joins the lines of `text`, reasons after their heading. */
function oneLine(text: string): string {
  return text.split("\n").map((line) => line.replace(/^\s+- /, "").trim())
    .reduce((before, line) => `${before}${before.endsWith(":") ? " " : "; "}${line}`);
}
