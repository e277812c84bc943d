/** Logs errors of the SDK. */

import { messageOf } from "../errors.ts";
import { log } from "../log.ts";

/** Omits what `error` may quote of a message: it may have secrets. */
export function logSdkError(where: string, error: unknown): void {
  log("debug", `${where}: ${messageOf(error).replace(/[{["'`][^]*$/, "…")}`);
}
