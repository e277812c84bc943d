/** `climax complete`: what may stand at the end of a command line, one candidate a line. */

import type { Command, CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import { bundledConfigs } from "../../sources/command/bundled.ts";
import { configSets } from "../../sources/command/sets.ts";
import { ClimaxError, ExitCode } from "../../errors.ts";
import { commandFlags, divide, type Example, type Words } from "../commands.ts";
import { orBundled } from "../options.ts";
import { print } from "../output.ts";
import { buildCommand, namesShown } from "../program.ts";

/** The words of `climax complete`. */
export function grammar(command: Command) {
  return command.description("Print what may stand at the end of a command line")
    .argument("[words...]", "a command line behind --, its last word perhaps unfinished");
}

export const examples: readonly Example[] = [
  ["complete -- run g", "print the words that `climax run g` may go on with"],
];

/** Prints the candidates for the last of `words`; what cannot be completed prints nothing. */
export async function action(...[words]: Words<typeof grammar>): Promise<ExitCode> {
  const found = await complete(words);
  if (found.length > 0) await print(found.join("\n"));
  return ExitCode.ok;
}

/** What the last of `words` may become. */
export async function complete(words: readonly string[]): Promise<readonly string[]> {
  const prefix = words.at(-1) ?? "";
  const candidates = await candidatesFor(words.slice(0, -1), prefix);
  return [...new Set(candidates.filter((candidate) => candidate.startsWith(prefix)))];
}

async function candidatesFor(
  before: readonly string[],
  prefix: string,
): Promise<readonly string[]> {
  const names = namesShown();
  if (before.length === 0) {
    const flags = commandFlags.keys().toArray().filter((flag) => flag.startsWith("--"));
    return prefix.startsWith("-") ? flags : [...names, ...configNames];
  }
  const { command: entry, words } = divide(before);
  const command = await buildCommand(entry);
  if (prefix.startsWith("-")) return optionsOf(command);
  if (entry.name === "help") return words.length === 0 ? names : [];

  const { positionals, configs, open } = read(command, words);
  if (open !== undefined) return open.name() === "config" ? configNames : open.argChoices ?? [];
  const args = command.registeredArguments;
  const last = args.at(-1);
  const argument = args[positionals] ?? (last?.variadic ? last : undefined);
  if (argument?.name() === "config") return configNames;
  if (argument?.name() === "tool") return await toolNames(configs);
  return argument?.argChoices ?? [];
}

const configNames = [...bundledConfigs.keys(), ...configSets.keys()];

/** What stands on a command line before the word that is completed. */
interface Read {
  /** How many arguments there are that belong to no option. */
  readonly positionals: number;
  /** Values of `--config`. */
  readonly configs: readonly string[];
  /** The option whose value comes next. */
  readonly open: Option | undefined;
}

function read(command: CommandUnknownOpts, words: readonly string[]): Read {
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
    open = undefined;
  }
  return { positionals, configs, open };
}

function optionsOf(command: CommandUnknownOpts): string[] {
  return command.createHelp().visibleOptions(command).flatMap((option) => option.long ?? []);
}

/** Names of the tools of `configs`, or of all bundled ones. */
async function toolNames(configs: readonly string[]): Promise<string[]> {
  try {
    const { openSession } = await import("../../session.ts");
    await using session = await openSession({ configs: orBundled(configs) });
    const { index } = session;
    return index.tools.map(({ name }) => name);
  } catch (error) {
    if (error instanceof ClimaxError) return [];
    throw error;
  }
}
