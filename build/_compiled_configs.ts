/** Parses a bundled config at build time, so that a start does not parse and check its text. */

import { ClimaxError, ExitCode } from "../src/errors.ts";
import type { BuiltConfig } from "../src/sources/command/bundled.ts";
import { readConfig } from "../src/sources/command/read_config.ts";

/** Returns the JSON for one config. @throws {ClimaxError} when it is invalid */
export async function builtConfig(name: string, text: string): Promise<string> {
  const result = await readConfig(`bundled:${name}`, text);
  if (!result.ok) throw new ClimaxError("Nothing was built", ExitCode.file, result.problems);
  const built: BuiltConfig = { text, config: result.value };
  return JSON.stringify(built);
}
