/**
 * Reads the words after a command's name with commander, and gives every error the same form. The files in
 * `commands/` declare the arguments and options.
 */

import { Command, CommanderError } from "@commander-js/extra-typings";
import { UsageError } from "../errors.ts";
import { nearNames } from "../text/similar_names.ts";
import type { CommandEntry, Example } from "./command.ts";
import { coloured, columnsOf, hasColour } from "../terminal.ts";
import { inFrontOfDashes } from "./config_words.ts";
import { addGlobalOptions, ownOptions } from "./global_options.ts";
import { acceptFormerNames } from "./options.ts";
import { asTyped, typedName } from "./typed_command.ts";

/** The parameters of a command's `run`, or the help that its words ask for. */
export type ReadWords =
  | { readonly words: readonly unknown[]; readonly configs: readonly string[] }
  | { readonly help: string };

/**
 * Reads the `words` after the name of a command.
 *
 * @throws {UsageError} when the command does not take them
 */
export async function readWords(
  entry: CommandEntry,
  words: readonly string[],
): Promise<ReadWords> {
  const command = await buildCommand(entry);
  try {
    command.parse(words, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { help: helpOf(command) };
    throw toUsageError(error, command, words);
  }
  const dashed = wordsAfterDashes(words, command.args);
  return {
    words: [...command.processedArgs, ownOptions(command), dashed],
    configs: configsIn(command, dashed),
  };
}

/** The configs that a command line names as words or as options. */
function configsIn(command: Command, dashed: readonly string[] | undefined): string[] {
  const { config = [] } = command.opts() as { readonly config?: readonly string[] };
  const at = command.registeredArguments.findIndex((each) => {
    return each.name() === "config" && each.variadic;
  });
  const named = at === -1 ? inFrontOfDashes(command.args, dashed).configs : command.args.slice(at);
  return [...named, ...config];
}

/** The words of `args` after `--`; `undefined` where that was the value of an option. */
function wordsAfterDashes(
  words: readonly string[],
  args: readonly string[],
): readonly string[] | undefined {
  const dashes = words.indexOf("--");
  if (dashes === -1) return undefined;
  const after = words.slice(dashes + 1);
  const last = args.slice(args.length - after.length);
  return after.every((word, at) => word === last[at]) ? after : undefined;
}

/** Builds a command with its arguments and options, to read a command line or to print help. */
export async function buildCommand({ name, summary, load }: CommandEntry): Promise<Command> {
  const { define, examples } = await load();
  const command = new Command(`climax ${name}`)
    .description(summary ?? "")
    .helpOption("-h, --help", "print help")
    .showSuggestionAfterError(false)
    .exitOverride()
    // Commander prints nothing: help is returned, and errors are thrown
    .configureOutput({ writeOut: () => {}, outputError: () => {} });
  define(command);
  addGlobalOptions(command);
  acceptFormerNames(command);
  if (examples.length > 0) command.addHelpText("after", examplesText(examples));
  return command;
}

/** Columns of a help that is not on a terminal, and of one on a wide terminal: longer lines are hard to read. */
const helpColumns = 100;

/** Returns the help text of a command. */
export function helpOf(command: Command): string {
  let help = "";
  const columns = columnsOf("stdout");
  command.configureOutput({
    writeOut: (text) => help += text,
    getOutHelpWidth: () => columns === Infinity ? 80 : Math.min(columns, helpColumns),
    getOutHasColors: () => hasColour("stdout"),
  }).configureHelp({
    styleTitle: bold,
    styleCommandText: cyan,
    styleOptionTerm: cyan,
    styleArgumentTerm: cyan,
  }).outputHelp();
  return asTyped(help.trimEnd());
}

function bold(text: string): string {
  return coloured(text, "bold", "stdout");
}

function cyan(text: string): string {
  return coloured(text, "cyan", "stdout");
}

function examplesText(examples: readonly Example[]): string {
  return [
    `\n${bold("Examples:")}`,
    ...examples.flatMap(([line, does]) => [`  ${cyan(`${typedName()} ${line}`)}`, `      ${does}`]),
  ]
    .join("\n");
}

/** Words an error of commander as climax's own errors are. */
function toUsageError(
  { code, message }: CommanderError,
  command: Command,
  words: readonly string[],
): UsageError {
  const excess = command.args.slice(command.registeredArguments.length);
  const text = code === "commander.excessArguments"
    ? `Too many arguments: ${excess.map((word) => `'${word}'`).join(", ")}`
    : message.replace(/^error: /, "").replace(/\.$/, "");
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  const known = command.createHelp().visibleOptions(command).flatMap(({ long }) => long ?? []);
  const near = code === "commander.unknownOption"
    ? nearNames(/'(--[^']*)'/.exec(text)?.[1] ?? "", known)
    : [];
  const dashes = words.indexOf("--");
  if (dashes !== -1 && words.slice(dashes).some((word) => known.includes(word))) {
    return new UsageError(sentence, "Options come before --");
  }
  return new UsageError(
    sentence,
    near.length > 0 ? `Did you mean: ${near.join(", ")}` : `${command.name()} --help says more`,
  );
}
