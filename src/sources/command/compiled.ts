/**
 * Bundled configs that were parsed when the program was bundled, so that a start loads neither the YAML parser nor
 * the checks. Empty when the program runs from source.
 */

import type { ConfigFile } from "./schema.ts";

/** The global key of the configs: functions by name, so that one is read without the others. */
export const compiledKey = "climax.configs";

export type CompiledConfigs = Readonly<Record<string, () => unknown>>;

/** The parsed config of `file`, if the bundle has it. */
export function compiledConfig(file: string): ConfigFile | undefined {
  const all = (globalThis as Record<symbol, unknown>)[Symbol.for(compiledKey)] as
    | CompiledConfigs
    | undefined;
  const name = /^bundled:(.*)$/.exec(file)?.[1];
  if (all === undefined || name === undefined || !Object.hasOwn(all, name)) return undefined;
  return all[name]!() as ConfigFile;
}
