/**
 * Finds the configs that a command line names: as words, in front of `--`, with `--config`, or else by `CLIMAX_CONFIG`.
 */

import { UsageError } from "../errors.ts";
import { bundledNames } from "../sources/command/bundled.ts";
import { findUnnamedOwnConfigs, usualConfigs } from "../sources/command/own_configs.ts";
import type { NamedText } from "../text/named_text.ts";
import type { SharedFlags, toolOptions } from "./options.ts";
import { useProjectFile } from "./project_file.ts";

export const configsHelp = "bundled configs, your own or sets such as @dev, by name, or YAML files";

type Asked = readonly (readonly string[] | undefined)[];

export function withDefaultConfigs(...asked: Asked): readonly string[] {
  const configs = together(asked);
  return configs.length > 0 ? configs : usualConfigs();
}

export interface ChosenConfigs {
  readonly configs: readonly (string | NamedText)[];
  /** True if neither the command line nor `CLIMAX_CONFIG` names a config: a broken config is then skipped, not refused. */
  readonly skipsBroken?: boolean;
}

/**
 * Returns the named configs, or those of `CLIMAX_CONFIG`, or else the bundled ones, the person's own and the project's
 * accepted ones.
 */
export async function orAll(...asked: Asked): Promise<ChosenConfigs> {
  const configs = withDefaultConfigs(...asked);
  if (configs.length > 0) return { configs };
  const { loaded, names } = await findUnnamedOwnConfigs();
  const { locateBundled } = await import("../sources/command/locate.ts");
  const others = [...bundledNames].filter((name) => !loaded.includes(name));
  const bundled = await Promise.all(
    others.map((name) => names.includes(name) ? name : locateBundled(name)),
  );
  // Of two tools with one name the last is used, so the person's own configs are last
  return { configs: [...bundled, ...loaded], skipsBroken: true };
}

type ToolFlags = Partial<Pick<SharedFlags, typeof toolOptions[number]>>;

/**
 * Returns the session's options with the `named` configs. If neither configs nor servers are named, the session has all
 * configs, and the servers of the project's file.
 */
export async function sessionOf(
  { config, mcp, policy, sandbox, strict }: ToolFlags,
  named: readonly string[],
): Promise<ChosenConfigs & Omit<ToolFlags, "config">> {
  const words = together([named, config]);
  if (mcp !== undefined) return { configs: words, mcp, policy, sandbox, strict };
  const own = words.length === 0 ? await useProjectFile() : undefined;
  return { ...await orAll(words), mcp: own, policy, sandbox, strict };
}

/** Returns the configs to serve. @throws {UsageError} if there are none, and no servers (`--mcp`) either */
export function requireSource(
  mcp: readonly string[] | undefined,
  ...asked: Asked
): readonly string[] {
  if (mcp !== undefined) return together(asked);
  const configs = withDefaultConfigs(...asked);
  if (configs.length > 0) return configs;
  const hint = "Name a config, such as @code, or servers with --mcp, or set CLIMAX_CONFIG";
  throw new UsageError("Missing required argument 'config'", hint);
}

function together(asked: Asked): readonly string[] {
  return asked.flatMap((each) => each ?? []);
}

export function inFrontOfDashes(words: readonly string[], behind: readonly string[] | undefined) {
  if (behind === undefined) return { configs: [], others: words };
  return { configs: words.slice(0, words.length - behind.length), others: behind };
}

export interface CallWords {
  readonly configs: readonly string[];
  readonly tool: string;
  readonly given: readonly string[];
}

export function callIn(
  words: readonly [string, ...string[]],
  behind: readonly string[] = [],
): CallWords {
  const [tool = "", ...given] = behind;
  if (tool !== "" && !/[=@]/.test(tool)) {
    return { configs: inFrontOfDashes(words, behind).configs, tool, given };
  }
  const [first, ...others] = words;
  return { configs: [], tool: first, given: others };
}
