/** The environment of the process, under whatever permissions it was started with. */

import { ClimaxError, ExitCode } from "../errors.ts";
import { startHint } from "./allow_hint.ts";

/** A variable that must be known. @throws {ClimaxError} when Deno does not let us read it */
export function requiredVariable(name: string): string | undefined {
  try {
    return Deno.env.get(name);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
    const message = `This program may not read the environment variable '${name}'`;
    const hint = startHint(`--allow-env=${name}`);
    throw new ClimaxError("A variable that matters cannot be read", ExitCode.file, [
      { message, hint },
    ]);
  }
}

/** A variable that a setting of climax may be in; one that may not be read counts as not set. */
export function optionalVariable(name: string): string | undefined {
  try {
    return Deno.env.get(name);
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return undefined;
    throw error;
  }
}

/**
 * The audit log that `CLIMAX_AUDIT_FILE` names. Not being allowed to look is an error: a log that
 * was asked for must not be left out without a word.
 */
export function auditFile(): string | undefined {
  return requiredVariable("CLIMAX_AUDIT_FILE") || undefined;
}
