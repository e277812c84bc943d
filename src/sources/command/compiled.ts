/**
 * Bundled configs that were parsed before: when the program was bundled, or by an earlier run from source. A start
 * then loads neither the YAML parser nor the checks.
 */

import type { ConfigFile } from "./schema.ts";

/** The global key of the configs: functions by name, so that one is read without the others. */
export const compiledKey = "climax.configs";

/** The text of a config, and what it contains. */
export interface CompiledConfig {
  text(): string;
  config(): unknown;
}

/** The bundled configs of a bundle; `undefined` in the sources. */
export function configsInBundle(): Readonly<Record<string, CompiledConfig>> | undefined {
  return (globalThis as Record<symbol, unknown>)[Symbol.for(compiledKey)] as
    | Readonly<Record<string, CompiledConfig>>
    | undefined;
}

let kept: Readonly<Record<string, unknown>> = {};

/** Sets the parsed configs by name, for a program without compiled ones. */
export function useParsed(configs: Readonly<Record<string, unknown>>): void {
  kept = configs;
}

/** The parsed config of `file`, if it is there. */
export function compiledConfig(file: string): ConfigFile | undefined {
  const all = configsInBundle();
  const name = /^bundled:(.*)$/.exec(file)?.[1];
  if (name === undefined) return undefined;
  if (all !== undefined && Object.hasOwn(all, name)) return all[name]!.config() as ConfigFile;
  return Object.hasOwn(kept, name) ? kept[name] as ConfigFile : undefined;
}

/** The texts of the bundled configs of a bundle by name, where `bundled.ts` is left out. */
export function textsInBundle(): ReadonlyMap<string, string> {
  return new LazyTexts(
    Object.entries(configsInBundle() ?? {}).map(([name, { text }]) => [name, text]),
  );
}

/** A map whose values are made by functions. */
class LazyTexts extends Map<string, string> {
  readonly #texts = new Map<string, () => string>();

  constructor(texts: Iterable<readonly [string, () => string]>) {
    super();
    for (const [name, text] of texts) {
      this.#texts.set(name, text);
      super.set(name, "");
    }
  }

  override get(name: string): string | undefined {
    return this.#texts.get(name)?.();
  }

  override *entries(): MapIterator<[string, string]> {
    for (const [name, text] of this.#texts) yield [name, text()];
  }

  override *values(): MapIterator<string> {
    for (const text of this.#texts.values()) yield text();
  }

  override forEach(use: (text: string, name: string, map: Map<string, string>) => void): void {
    for (const [name, text] of this.entries()) use(text, name, this);
  }

  override [Symbol.iterator](): MapIterator<[string, string]> {
    return this.entries();
  }
}
