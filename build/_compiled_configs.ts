/** Compiles the bundled configs to code, so that a start does not parse and check their texts. */

import { ClimaxError, ExitCode } from "../src/errors.ts";
import { bundledConfigs } from "../src/sources/command/bundled.ts";
import { compiledKey } from "../src/sources/command/compiled.ts";
import { readConfig } from "../src/sources/command/read_config.ts";

/** The module in the sources with the texts, and the code that stands for it in a bundle. */
export const textsFile = /[\\/]src[\\/]sources[\\/]command[\\/]bundled\.ts$/;
export const storedTexts = `import { textsInBundle } from "../src/sources/command/compiled.ts";
export const bundledConfigs = textsInBundle();
`;

/**
 * Returns a statement that stores the configs where the program looks for them: functions that return the text of a
 * config, and the JSON of what it contains. JSON in a string is parsed on demand only.
 *
 * @throws {ClimaxError} when one of them is invalid
 */
export async function configRegistry(): Promise<string> {
  const entries = await Promise.all([...bundledConfigs].map(async ([name, text]) => {
    const result = await readConfig(`bundled:${name}`, text());
    if (!result.ok) throw new ClimaxError("Nothing was built", ExitCode.file, result.problems);
    const [own, json] = [text(), JSON.stringify(result.value)].map((each) => JSON.stringify(each));
    return `${JSON.stringify(name)}:{text:()=>${own},json:()=>${json}}`;
  }));
  return `globalThis[Symbol.for(${JSON.stringify(compiledKey)})]={${entries.join(",")}};\n`;
}
