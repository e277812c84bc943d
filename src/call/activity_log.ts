/** Opens the activity log: one bounded file with the audit log's lines of all clients of a person, long ones cut. */

import { join } from "node:path";
import { messageOf } from "../errors.ts";
import { log } from "../log.ts";
import { loginsFolder } from "../process/folders.ts";
import { LineFile } from "../state/line_file.ts";
import { AuditLog } from "./audit_log.ts";

const name = "activity.jsonl";

/** The log holds about 25,000 calls, of 30 days at most. */
const bounds = { maxBytes: 16 * 1024 * 1024, maxAgeMs: 30 * 86_400_000 };

/** Returns the path of the activity log; `undefined` if no folder is known. */
export function activityPath(): string | undefined {
  const folder = loginsFolder();
  return folder && join(folder, name);
}

interface AuditLogFiles {
  /** The path of the audit log, which may miss no call. */
  readonly audit?: string | undefined;
  readonly recordsActivity?: boolean | undefined;
  readonly instance?: string | undefined;
}

/** Opens the log of a process, if it has any. @throws {ClimaxError} if the file of `audit` cannot be opened */
export async function openAuditLog(
  { audit, recordsActivity = false, instance }: AuditLogFiles,
): Promise<AuditLog | undefined> {
  if (audit === undefined && !recordsActivity) return undefined;
  return AuditLog.open(audit, {
    instance,
    activity: recordsActivity ? await openActivity() : undefined,
  });
}

/** Opens the activity log. After a fault, a warning is logged, and calls run without it. */
async function openActivity(): Promise<LineFile | undefined> {
  const folder = loginsFolder();
  if (folder === undefined) return undefined;
  return await LineFile.open(folder, name, bounds).catch((error) => {
    log("warning", `Calls are not in the activity log: ${messageOf(error)}`);
    return undefined;
  });
}
