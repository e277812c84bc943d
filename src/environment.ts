/** The environment of the process, under whatever permissions it was started with. */

import { ClimaxError, ExitCode } from "./errors.ts";

/** A variable that a config needs. @throws {ClimaxError} when Deno does not let us read it */
export function requiredVariable(name: string): string | undefined {
  try {
    return Deno.env.get(name);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
    const message = `This program may not read the environment variable '${name}'`;
    const hint = `Start it with --allow-env=${name}`;
    throw new ClimaxError("A variable that a config uses cannot be read", ExitCode.file, [
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
