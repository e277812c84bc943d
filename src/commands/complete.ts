/** `climax complete`: what may stand at the end of a command line, one candidate a line. */

import type { Command } from "commander";
import { bundledConfigs } from "../config/bundled.ts";
import { isConfigPath } from "../config/locate.ts";
import { ClimaxError, ExitCode } from "../errors.ts";
import { openSession } from "../session.ts";
import { print } from "./_output.ts";
import { shells } from "./completions.ts";

/** Prints the candidates for the last of `words`; what cannot be completed prints nothing. */
export async function completeCommand(
  program: Command,
  words: readonly string[],
): Promise<ExitCode> {
  const prefix = words.at(-1) ?? "";
  const candidates = await candidatesFor(program, words.slice(0, -1), prefix);
  const found = candidates.filter((candidate) => candidate.startsWith(prefix));
  if (found.length > 0) await print([...new Set(found)].join("\n"));
  return ExitCode.ok;
}

async function candidatesFor(
  program: Command,
  before: readonly string[],
  prefix: string,
): Promise<string[]> {
  const names = program.commands.map((command) => command.name());
  const configs = [...bundledConfigs.keys()];
  const command = program.commands.find((each) => before.includes(each.name()));
  if (prefix.startsWith("-")) return optionsOf(command ?? program);
  if (inConfigOption(before)) return configs;
  switch (command?.name()) {
    case undefined:
      return before.length === 0 ? [...names, ...configs] : configs;
    case "call":
      return before.length > 1 ? [] : await toolNames(before);
    case "completions":
      return [...shells];
    case "search":
    case "eval":
      return [];
    case "help":
      return names;
    default:
      return configs;
  }
}

/** `--config` takes every word up to the next option. */
function inConfigOption(before: readonly string[]): boolean {
  const option = before.findLastIndex((word) => word.startsWith("-"));
  return before[option] === "--config";
}

function optionsOf(command: Command): string[] {
  return command.createHelp().visibleOptions(command).flatMap((option) => option.long ?? []);
}

async function toolNames(before: readonly string[]): Promise<string[]> {
  const named = before.filter((word) => bundledConfigs.has(word) || isConfigPath(word));
  const configs = named.length > 0 ? named : [...bundledConfigs.keys()];
  try {
    const { index } = await openSession({ configs });
    return index.tools.map(({ name }) => name);
  } catch (error) {
    if (error instanceof ClimaxError) return [];
    throw error;
  }
}
