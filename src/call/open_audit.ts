/** Opens the audit log of a session, and checks at the end that it is complete. */

import { ClimaxError, ExitCode } from "../errors.ts";
import { plural } from "../text/plural.ts";
import type { AuditLog } from "./audit_log.ts";

/** Opens the log at `path`, if given. If that fails, calls `cleanup` to close what was opened earlier. */
export async function openAudit(
  path: string | undefined,
  cleanup: () => Promise<void>,
): Promise<AuditLog | undefined> {
  if (path === undefined) return undefined;
  try {
    const { AuditLog } = await import("./audit_log.ts");
    return AuditLog.open(path);
  } catch (error) {
    await cleanup();
    throw error;
  }
}

/** Closes the log. @throws {ClimaxError} if calls have no entry */
export function closeAudit(audit: AuditLog | undefined, file: string | undefined): void {
  const lost = audit?.close() ?? 0;
  if (lost === 0) return;
  const message = `${plural(lost, "call")} ran without an entry in the audit log`;
  throw new ClimaxError("The audit log is incomplete", ExitCode.file, [{ file: file!, message }]);
}
