/** Reads the configs of a command line: words, words in front of `--`, `--config`, or else `CLIMAX_CONFIG`. */

import { type Command, Option, type OptionValues } from "@commander-js/extra-typings";
import { UsageError } from "../errors.ts";
import type { NamedText } from "../text/named_text.ts";
import { bundledNames, isBundled } from "../sources/command/bundled.ts";
import { findUnnamedOwnConfigs, ownConfig, usualConfigs } from "../sources/command/own_configs.ts";
import { shared } from "./options.ts";
import { useProjectFile } from "./project_file.ts";
import { note } from "../log.ts";
import { fileBeside, isConfigPath } from "../sources/command/locate.ts";
import { label } from "./messages.ts";

/** The help text of an argument that takes configs. */
export const configsHelp = "bundled configs, your own or sets such as @dev, by name, or YAML files";

/** The configs of a command line: its words, and the values of `--config`. */
type Asked = readonly (readonly string[] | undefined)[];

/** Returns the named configs, or the default ones. */
export function withDefaultConfigs(...asked: Asked): readonly string[] {
  const configs = together(asked);
  return configs.length > 0 ? configs : usualConfigs();
}

export interface ChosenConfigs {
  readonly configs: readonly (string | NamedText)[];
  /** True when the command line names none: a broken config does not hide the others then. */
  readonly skipsBroken?: boolean;
}

/** Returns the named configs, or the default ones, or all that are bundled, the person's own or accepted. */
export async function orAll(...asked: Asked): Promise<ChosenConfigs> {
  const configs = withDefaultConfigs(...asked);
  if (configs.length > 0) return { configs };
  const { loaded, names } = await findUnnamedOwnConfigs();
  const { locateBundled } = await import("../sources/command/locate.ts");
  const others = [...bundledNames].filter((name) => !loaded.includes(name));
  const bundled = await Promise.all(
    others.map((name) => names.includes(name) ? name : locateBundled(name)),
  );
  // Of two tools with one name, the last is used
  return { configs: [...bundled, ...loaded], skipsBroken: true };
}

/** The options of a command that a session takes. */
interface ToolFlags {
  readonly config?: readonly string[] | undefined;
  readonly mcp?: readonly string[] | undefined;
  readonly policy?: string | undefined;
  readonly sandbox?: true | undefined;
  readonly strict?: true | undefined;
}

/**
 * Returns the options of the session with the `named` configs; without any and without servers, it
 * has all configs and the project's file.
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

export function withToolOptions<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
): Command<Args, Options & ToolFlags> {
  const options = [shared.mcp(), shared.policy(), shared.sandbox(), shared.strict()];
  for (const option of [shared.config(), ...options]) command.addOption(option as Option);
  return command as unknown as Command<Args, Options & ToolFlags>;
}

/** Returns the named configs, or the default ones; MCP servers alone suffice. @throws {UsageError} without both */
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

/** Splits configs before `--` from the words after it; without `--`, none of `words` is a config. */
export function inFrontOfDashes(words: readonly string[], behind: readonly string[] | undefined) {
  if (behind === undefined) return { configs: [], others: words };
  return { configs: words.slice(0, words.length - behind.length), others: behind };
}

export interface CallWords {
  readonly configs: readonly string[];
  readonly tool: string;
  readonly given: readonly string[];
}

/** Divides configs and call at `--`; without it, or before a value, all words are the call. */
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

/** Says on stderr which of `configs` were read as names although a local file has that name. */
export async function noteFilesBeside(configs: readonly string[]): Promise<void> {
  for (const name of new Set(configs)) {
    const file = isConfigPath(name) ? undefined : await fileBeside(name);
    if (file === undefined) continue;
    const { files: [own] } = await ownConfig(name);
    // A config that is not found has its own hint
    if (own === undefined && !isBundled(name)) continue;
    note(
      `${label("note", "stderr")} '${name}' is ${own ?? "the bundled config"}; ` +
        `the file beside you is ./${file}`,
    );
  }
}
