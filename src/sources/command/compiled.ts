/**
 * Bundled configs that were read when the program was bundled: a start then reads neither YAML nor
 * what checks it. A program that runs from its sources has none of them.
 */

import type { ConfigFile } from "./schema.ts";

/** Where the bundle leaves the configs: JSON by name, in functions, so that one is read alone. */
export const compiledKey = "climax.configs";

/** What a bundle brings along. */
export type CompiledConfigs = Readonly<Record<string, () => unknown>>;

/** The config in the file that messages call `file`, if it was read before. */
export function compiledConfig(file: string): ConfigFile | undefined {
  const all = (globalThis as Record<symbol, unknown>)[Symbol.for(compiledKey)] as
    | CompiledConfigs
    | undefined;
  const name = /^bundled:(.*)$/.exec(file)?.[1];
  if (all === undefined || name === undefined || !Object.hasOwn(all, name)) return undefined;
  return all[name]!() as ConfigFile;
}
