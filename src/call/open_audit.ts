/** The audit log of a session: opened before the first call, and whether it is whole at the end. */

import { ClimaxError, ExitCode } from "../errors.ts";
import { plural } from "../text/plural.ts";
import { AuditLog } from "./audit_log.ts";

/** Opens the log at `path`, if there is to be one; `otherwise` ends what was opened before it. */
export async function openAudit(
  path: string | undefined,
  otherwise: () => Promise<void>,
): Promise<AuditLog | undefined> {
  try {
    return path === undefined ? undefined : AuditLog.open(path);
  } catch (error) {
    await otherwise();
    throw error;
  }
}

/** Closes the log. @throws {ClimaxError} when calls are not in it */
export function closeAudit(audit: AuditLog | undefined, file: string | undefined): void {
  const lost = audit?.close() ?? 0;
  if (lost === 0) return;
  const message = `${plural(lost, "call")} ran without an entry in the audit log`;
  throw new ClimaxError("The audit log is incomplete", ExitCode.file, [{ file: file!, message }]);
}
