/** Compiles the bundled configs to code, so that a start does not parse and check their texts. */

import { ClimaxError, ExitCode } from "../errors.ts";
import { readConfig } from "../sources/command/read_config.ts";
import { bundledConfigs } from "../sources/command/bundled.ts";
import { compiledKey } from "../sources/command/compiled.ts";

/**
 * Returns a module that stores the configs where the program looks for them.
 *
 * @throws {ClimaxError} when one of them is invalid
 */
export async function compiledConfigs(): Promise<string> {
  const entries = await Promise.all(
    bundledConfigs.entries().map(async ([name, text]) => {
      const result = await readConfig(`bundled:${name}`, text);
      if (!result.ok) throw new ClimaxError("Nothing was built", ExitCode.file, result.problems);
      // JSON in a string is parsed on demand only
      const json = JSON.stringify(JSON.stringify(result.value));
      return `${JSON.stringify(name)}:()=>JSON.parse(${json})`;
    }),
  );
  return `globalThis[Symbol.for(${JSON.stringify(compiledKey)})]={${entries.join(",")}};\n`;
}
