/**
 * The commonest command line, configs and perhaps `--classic`, which a client starts a server with
 * each time. It is read here, since what reads all the others takes a tenth of a start to load.
 * Anything that needs a second look is left to it, and `tests/cli/fast_path_test.ts` holds that both
 * read the same.
 */

import { isConfigPath } from "../sources/command/locate.ts";
import { isBundled } from "../sources/command/sets.ts";
import { defaultCommand, divide } from "./commands.ts";

/** The words of `run` that the quick path reads. */
export interface QuickRun {
  readonly configs: readonly string[];
  readonly classic: boolean;
}

/** Reads `args` when they are the commonest command line. */
export function quickRun(args: readonly string[]): QuickRun | undefined {
  const { command, words } = divide(args);
  const configs = words.filter((word) => word !== "--classic");
  if (command !== defaultCommand || configs.length === 0 || !configs.every(isConfig)) return;
  return { configs, classic: configs.length < words.length };
}

function isConfig(word: string): boolean {
  return !word.startsWith("-") && (isBundled(word) || isConfigPath(word));
}
