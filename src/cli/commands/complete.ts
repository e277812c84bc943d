/** `climax complete`: what may stand at the end of a command line, one candidate a line. */

import type { Command, Option } from "commander";
import { bundledConfigs } from "../../sources/command/bundled.ts";
import { ClimaxError, ExitCode } from "../../errors.ts";
import { openSession } from "../../session.ts";
import { print } from "../output.ts";

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
): Promise<readonly string[]> {
  const commands = program.createHelp().visibleCommands(program);
  const names = commands.map((command) => command.name());
  const named = commands.find((command) => command.name() === before[0]);
  const command = named ?? commands.find((each) => each.name() === "run")!;
  if (prefix.startsWith("-")) return optionsOf(before.length === 0 ? program : command);
  if (before.length === 0) return [...names, ...bundledConfigs.keys()];
  if (command.name() === "help") return before.length === 1 ? names : [];

  const { positionals, configs, open } = read(command, named ? before.slice(1) : before);
  if (open !== undefined) return open.name() === "config" ? configNames : open.argChoices ?? [];
  const args = command.registeredArguments;
  const last = args.at(-1);
  const argument = args[positionals] ?? (last?.variadic ? last : undefined);
  if (argument?.name() === "config") return configNames;
  if (argument?.name() === "tool") return await toolNames(configs);
  return argument?.argChoices ?? [];
}

const configNames = [...bundledConfigs.keys()];

/** What stands on a command line before the word that is completed. */
interface Read {
  /** How many arguments there are that belong to no option. */
  readonly positionals: number;
  /** Values of `--config`. */
  readonly configs: readonly string[];
  /** The option whose value comes next. */
  readonly open: Option | undefined;
}

function read(command: Command, words: readonly string[]): Read {
  let positionals = 0;
  let open: Option | undefined;
  const configs: string[] = [];
  for (const word of words) {
    if (word.startsWith("-")) {
      open = command.options.find(({ short, long, required }) => {
        return required && (word === short || word === long);
      });
      continue;
    }
    if (open?.name() === "config") configs.push(word);
    if (open === undefined) positionals++;
    else if (!open.variadic) open = undefined;
  }
  return { positionals, configs, open };
}

function optionsOf(command: Command): string[] {
  return command.createHelp().visibleOptions(command).flatMap((option) => option.long ?? []);
}

/** Names of the tools of `configs`, or of all bundled ones. */
async function toolNames(configs: readonly string[]): Promise<string[]> {
  try {
    const { index } = await openSession({ configs: configs.length > 0 ? configs : configNames });
    return index.tools.map(({ name }) => name);
  } catch (error) {
    if (error instanceof ClimaxError) return [];
    throw error;
  }
}
