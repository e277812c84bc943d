/** Reads environment variables, even if Deno permits only some of them. */

import { io, optionalVariable } from "../io.ts";
import { FileError } from "../errors.ts";
import { log } from "../log.ts";
import { buildForm } from "./build_info.ts";

/** Reads a variable that must not be overlooked, such as one of the audit log. @throws {ClimaxError} if Deno forbids it */
export function requireVariable(name: string): string | undefined {
  try {
    return io().env.get(name);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
    const message = `This program may not read the environment variable '${name}'`;
    const hint = `Start it with --allow-env=${name}`;
    throw new FileError("A variable that matters cannot be read", { message, hint });
  }
}

/** This word in place of the name of an audit log turns off all logs of calls. */
export const noAudit = "off";

/** Returns which logs of calls are written. A missing permission is an error, as no log may be omitted silently. */
export function auditOptions(given = requireVariable("CLIMAX_AUDIT_FILE") || undefined) {
  return given === noAudit ? {} : { audit: given, recordsActivity: true };
}

export function exportsSpans(): boolean {
  if (optionalVariable("OTEL_DENO") === undefined) return false;
  if (buildForm() !== "binary") return true;
  log("warning", "OTEL_DENO has no effect on a binary: there are spans in the portable form only");
  return false;
}
