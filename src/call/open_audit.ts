/** Opens the audit log of a session, and checks at the end that it is complete. */

import { ClimaxError, ExitCode } from "../errors.ts";
import { plural } from "../text/plural.ts";
import type { AuditLog } from "./audit_log.ts";

/** Opens the log at `path`, if given. */
export async function openAudit(path: string | undefined): Promise<AuditLog | undefined> {
  return path === undefined ? undefined : (await import("./audit_log.ts")).AuditLog.open(path);
}

/** Closes the log. @throws {ClimaxError} if calls have no entry */
export function closeAudit(audit: AuditLog | undefined, file: string | undefined): void {
  const lost = audit?.close() ?? 0;
  if (lost === 0) return;
  const message = `${plural(lost, "call")} ran without an entry in the audit log`;
  throw new ClimaxError("The audit log is incomplete", ExitCode.file, [{ file: file!, message }]);
}
