/** Parses the bundled configs at build time, so that a start does not parse and check their texts. */

import { pathToFileURL } from "node:url";
import { ClimaxError, ExitCode } from "../src/errors.ts";
import { type BuiltConfig, bundledConfigs } from "../src/sources/command/bundled.ts";
import { readConfig } from "../src/sources/command/read_config.ts";

/**
 * Writes a JSON file for each config into `directory`, in the place of the YAML that `bundled.ts` imports from `root`.
 *
 * @returns the paths, for an import map
 * @throws {ClimaxError} when a config is invalid
 */
export async function builtConfigs(directory: string, root: URL): Promise<Record<string, string>> {
  const paths = await Promise.all(
    bundledConfigs.entries().map(async ([name, text]) => {
      const path = `${directory}/${name}.json.txt`;
      await Deno.writeTextFile(path, await builtConfig(name, text()));
      const source = new URL(`configs/${name}.yaml`, root).href;
      return [source, pathToFileURL(path).href] as const;
    }),
  );
  return Object.fromEntries(paths);
}

/** The JSON for one config. @throws {ClimaxError} when it is invalid */
export async function builtConfig(name: string, text: string): Promise<string> {
  const result = await readConfig(`bundled:${name}`, text);
  if (!result.ok) throw new ClimaxError("Nothing was built", ExitCode.file, result.problems);
  const built: BuiltConfig = { text, config: result.value };
  return JSON.stringify(built);
}
