/** Bundled configs that were parsed at bundling, to start without YAML parser and checks. */

import type { ConfigFile } from "./schema.ts";

/** The global key of the configs: functions by name, so that one is read without the others. */
export const compiledKey = "climax.configs";

/** The text of a config, and the JSON of what it contains. */
interface CompiledConfig {
  text(): string;
  json(): string;
}

/** The bundled configs of a bundle; `undefined` in the sources. */
export function configsInBundle(): Readonly<Record<string, CompiledConfig>> | undefined {
  return (globalThis as Record<symbol, unknown>)[Symbol.for(compiledKey)] as
    | Readonly<Record<string, CompiledConfig>>
    | undefined;
}

/** The parsed config of `file`, if it is there, and its JSON. */
export function findCompiledConfig(file: string) {
  const all = configsInBundle();
  const name = /^bundled:(.*)$/.exec(file)?.[1];
  if (name === undefined || all === undefined || !Object.hasOwn(all, name)) return undefined;
  const json = all[name]!.json();
  return { config: JSON.parse(json) as ConfigFile, json };
}

/** Functions that return the texts of the bundled configs of a bundle, by name, where `bundled.ts` is left out. */
export function textsInBundle(): ReadonlyMap<string, () => string> {
  return new Map(Object.entries(configsInBundle() ?? {}).map(([name, { text }]) => [name, text]));
}
