/** Compiles the bundled configs to code, so that a start does not parse and check their texts. */

import { pathToFileURL } from "node:url";
import { ClimaxError, ExitCode } from "../src/errors.ts";
import { readConfig } from "../src/sources/command/read_config.ts";
import { bundledConfigs } from "../src/sources/command/bundled.ts";
import { compiledKey } from "../src/sources/command/compiled.ts";

/** The module in the sources with the texts, and what the one that stands for it uses. */
const inSource = "src/sources/command/bundled.ts";
const compiled = "src/sources/command/compiled.ts";

/**
 * Writes a module into `directory` that reads a text of {@linkcode compiledConfigs} when it is used; `root`
 * has the sources.
 *
 * @returns its path, for an import map
 */
export async function lazyTexts(directory: string, root: URL): Promise<Record<string, string>> {
  const path = `${directory}/texts.js`;
  const from = JSON.stringify(new URL(compiled, root).href);
  const code = `import { textsInBundle } from ${from};\n` +
    `export const bundledConfigs = textsInBundle();\n`;
  await Deno.writeTextFile(path, code);
  return { [new URL(inSource, root).href]: pathToFileURL(path).href };
}

/**
 * Returns a module that stores the configs where the program looks for them.
 *
 * @throws {ClimaxError} when one of them is invalid
 */
export async function compiledConfigs(): Promise<string> {
  const entries = (await parsedConfigs()).map(({ name, text, json }) => {
    // JSON in a string is parsed on demand only
    const [own, config] = [text, json].map((each) => `()=>${JSON.stringify(each)}`);
    return `${JSON.stringify(name)}:{text:${own},json:${config}}`;
  });
  return `${registry}={${entries.join(",")}};\n`;
}

/** The place of the configs in a bundle. */
export const registry: string = `globalThis[Symbol.for(${JSON.stringify(compiledKey)})]`;

/** A bundled config as text, and as the JSON of what it contains. */
export interface ParsedConfig {
  readonly name: string;
  readonly text: string;
  readonly json: string;
}

/** Parses the bundled configs. @throws {ClimaxError} when one of them is invalid */
export async function parsedConfigs(): Promise<ParsedConfig[]> {
  return await Promise.all(
    bundledConfigs.entries().map(async ([name, text]) => {
      const result = await readConfig(`bundled:${name}`, text());
      if (!result.ok) throw new ClimaxError("Nothing was built", ExitCode.file, result.problems);
      return { name, text: text(), json: JSON.stringify(result.value) };
    }),
  );
}
