/**
 * Reads the most common command line, configs and perhaps `--classic`, with which clients start a server.
 * The full parser takes a tenth of a start to load, so it is loaded for all others only;
 * `tests/cli/fast_path_test.ts` checks that both read the same.
 */

import { isConfigPath } from "../sources/command/locate.ts";
import { isBundled } from "../sources/command/sets.ts";
import { defaultCommand, divide } from "./commands.ts";

/** The words of `run` that are read here. */
export interface QuickRun {
  readonly configs: readonly string[];
  readonly classic: boolean;
}

/** Reads `args` when they are this command line. */
export function quickRun(args: readonly string[]): QuickRun | undefined {
  const { command, words } = divide(args);
  const configs = words.filter((word) => word !== "--classic");
  if (command !== defaultCommand || configs.length === 0 || !configs.every(isConfig)) return;
  return { configs, classic: configs.length < words.length };
}

function isConfig(word: string): boolean {
  return !word.startsWith("-") && (isBundled(word) || isConfigPath(word));
}
