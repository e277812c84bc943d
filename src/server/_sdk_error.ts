/** Logs errors of the SDK. */

import { messageOf } from "../errors.ts";
import { log } from "../log.ts";

/** Logs `error` of `where`, up to what it may quote of what was sent, secrets and all. */
export function logSdkError(where: string, error: unknown): void {
  log("debug", `${where}: ${messageOf(error).replace(/[{["'`][^]*$/, "…")}`);
}
