/**
 * Bundled configs that were parsed before: when the program was bundled, or by an earlier run from source. A start
 * then loads neither the YAML parser nor the checks.
 */

import type { ConfigFile } from "./schema.ts";

/** The global key of the configs: functions by name, so that one is read without the others. */
export const compiledKey = "climax.configs";

export type CompiledConfigs = Readonly<Record<string, () => unknown>>;

let kept: Readonly<Record<string, unknown>> = {};

/** Sets the parsed configs by name, for a program without compiled ones. */
export function useParsed(configs: Readonly<Record<string, unknown>>): void {
  kept = configs;
}

/** The parsed config of `file`, if it is there. */
export function compiledConfig(file: string): ConfigFile | undefined {
  const all = (globalThis as Record<symbol, unknown>)[Symbol.for(compiledKey)] as
    | CompiledConfigs
    | undefined;
  const name = /^bundled:(.*)$/.exec(file)?.[1];
  if (name === undefined) return undefined;
  if (all !== undefined && Object.hasOwn(all, name)) return all[name]!() as ConfigFile;
  return Object.hasOwn(kept, name) ? kept[name] as ConfigFile : undefined;
}
