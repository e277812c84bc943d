/** Reads the words after a command's name with the package commander, and formats help. */

import {
  Command,
  CommanderError,
  type CommandUnknownOpts,
  Option,
} from "@commander-js/extra-typings";
import { UsageError } from "../errors.ts";
import { nearHint } from "../text/similar_names.ts";
import type { CommandEntry, CommandTable, Example } from "./command.ts";
import {
  type ColourMode,
  colourModes,
  columnsOf,
  hasColour,
  paint,
  setColourMode,
  type Stream,
} from "../terminal.ts";
import { choiceOption } from "./options.ts";
import { outliveReader } from "./output.ts";
import { bundledNames, configSets } from "../sources/command/bundled.ts";
import { type LogLevel, logLevel, setLogLevel, setQuiet } from "../log.ts";
import { climax } from "../process/own_command.ts";

type ReadWords = { readonly words: readonly unknown[] } | { readonly help: string };

export async function readWords(entry: CommandEntry, typed: readonly string[]): Promise<ReadWords> {
  const command = await buildCommand(entry);
  const words = (await entry.load()).arrange?.(typed) ?? typed;
  try {
    command.parse(words, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { help: helpOf(command) };
    throw toUsageError(error, command, words);
  }
  // A command with `--yes` writes a file, which it must do even if `head` has stopped reading its output
  outliveReader(command.options.some(({ long }) => long === "--yes"));
  const dashed = wordsAfterDashes(words, command.args);
  return { words: [...command.processedArgs, ownOptions(command), dashed] };
}

/** Returns the words after `--`; `undefined` without `--`, or if `--` was the value of an option. */
function wordsAfterDashes(words: readonly string[], args: readonly string[]) {
  const dashes = words.indexOf("--");
  if (dashes === -1) return undefined;
  const after = words.slice(dashes + 1);
  const last = args.slice(args.length - after.length);
  return after.every((word, at) => word === last[at]) ? after : undefined;
}

export async function buildCommand({ name, summary, load }: CommandEntry): Promise<Command> {
  const { define, examples } = await load();
  const command = new Command(`${climax()} ${name}`)
    .description(summary)
    .helpOption("-h, --help", "print help")
    .showSuggestionAfterError(false)
    .exitOverride()
    // Commander must print nothing, because climax prints help and errors itself
    .configureOutput({ writeOut: () => {}, outputError: () => {} });
  define(command);
  addGlobalOptions(command);
  if (examples.length > 0) command.addHelpText("after", examplesText(examples));
  return command;
}

export function helpOf(command: Command): string {
  let help = "";
  const columns = columnsOf("stdout");
  command.configureOutput({
    writeOut: (text) => help += text,
    // Help is at most 100 columns wide, because longer lines are hard to read
    getOutHelpWidth: () => columns === Infinity ? 80 : Math.min(columns, 100),
    getOutHasColors: () => hasColour("stdout"),
  }).configureHelp({
    styleTitle: bold,
    styleCommandText: cyan,
    styleOptionTerm: cyan,
    styleArgumentTerm: cyan,
  }).outputHelp();
  return help.trimEnd();
}

const bold = (text: string) => paint(text, "bold", "stdout");
const cyan = (text: string) => paint(text, "cyan", "stdout");

function examplesText(examples: readonly Example[]): string {
  const lines = examples.map(([line, does]) => `  ${cyan(`${climax()} ${line}`)}\n      ${does}`);
  return [`\n${bold("Examples:")}`, ...lines].join("\n");
}

function toUsageError(
  { code, message }: CommanderError,
  command: Command,
  words: readonly string[],
): UsageError {
  const excess = command.args.slice(command.registeredArguments.length);
  const sentence = code === "commander.excessArguments"
    ? `Too many arguments: ${excess.map((word) => `'${word}'`).join(", ")}`
    : message.replace(/^error: ./, (start) => start.at(-1)!.toUpperCase()).replace(/\.$/, "");
  const known = visibleOptions(command);
  const near = code === "commander.unknownOption"
    ? nearHint(/'(--[^']*)'/.exec(message)?.[1] ?? "", [...known, "--version"])
    : undefined;
  const dashes = words.indexOf("--");
  if (dashes !== -1 && words.slice(dashes).some((word) => known.includes(word))) {
    return new UsageError(sentence, "Options come before --");
  }
  return new UsageError(sentence, near ?? `See '${command.name()} --help'`);
}

export function visibleOptions(command: CommandUnknownOpts): string[] {
  return command.createHelp().visibleOptions(command).flatMap(({ long }) => long ?? []);
}

/** Returns the text of `climax --help` for `stream`, from the table alone: no command's code is loaded for it. */
export function formatProgramHelp({ groups }: CommandTable, stream: Stream, all = false): string {
  const shown = groups.entries().toArray().slice(0, all ? undefined : 2);
  const width = Math.max(...shown.flatMap(([, list]) => list.map(({ name }) => name.length))) + 2;
  const lists = shown.map(([heading, entries]) => {
    return [paint(`${heading}:`, "bold", stream), ...linesOf(entries, width, stream)].join("\n");
  });
  const usage = `${paint("Usage:", "bold", stream)} ${head()}`;
  return [usage, ...lists, all ? end() : more()].join("\n\n");
}

const head = () =>
  `${climax()} CONFIG... [options]
       ${climax()} COMMAND [arguments] [options]

Give AI agents your command-line programs and MCP servers
through two tools: one to search and one to call.`;

const more = () =>
  `Run '${climax()} COMMAND --help' for options and examples,
'${climax()} help --all' for all commands and bundled configs.`;

const end = () =>
  `Run '${climax()} COMMAND --help' for a command's options and examples. A CONFIG is
a bundled config or one of your own, by name, a set, or the path of a YAML file.

${wrapHelp(`Bundled configs: ${[...bundledNames].join(", ")}`)}
${wrapHelp(`Sets of them: ${[...configSets.keys()].join(", ")}`)}
Options of every command: --color auto|always|never; -q, --quiet: results and
  errors only; -v, --verbose: more log lines
Exit codes: 0 done, 1 refused, failed or nothing found, 2 wrong usage, 3 a
  file is wrong or missing, 4 internal error, 130 ended by Ctrl-C, 143 by
  SIGTERM, 129 by a hangup; servers and log --follow end with 0 then
Environment:
  CLIMAX_CONFIG: configs to use when none are named (comma-separated)
  CLIMAX_LOG_FILE: file to append log lines to
  CLIMAX_AUDIT_FILE: file to append a line of JSON to for each call
  NO_COLOR, FORCE_COLOR: switch colours off or on`;

/** Returns true for the first word of commands with two words, such as `policy` of `policy explain`. */
export function isGroup(word: string, { commands }: CommandTable): boolean {
  return commands.keys().some((name) => name.startsWith(`${word} `));
}

export function groupHelp(word: string, { commands }: CommandTable, stream: Stream): string {
  const own = [...commands.values()].filter(({ name }) => name.startsWith(`${word} `));
  const width = Math.max(...own.map(({ name }) => name.length)) + 2;
  return [
    `${paint("Usage:", "bold", stream)} ${climax()} ${word} COMMAND [arguments] [options]`,
    "",
    ...linesOf(own, width, stream),
    "",
    `Run '${climax()} ${own[0]!.name} --help' for a command's options and examples`,
  ].join("\n");
}

function linesOf(entries: readonly CommandEntry[], width: number, stream: Stream): string[] {
  return entries.map(({ name, summary }) => {
    return `  ${paint(name.padEnd(width), "cyan", stream)}${summary}`;
  });
}

/** Wraps `text` at 79 columns, all lines but the first indented. */
function wrapHelp(text: string): string {
  return text.replaceAll(/(?=.{79})(.{1,77}) (?=\S)/g, "$1\n  ");
}

function addGlobalOptions(command: CommandUnknownOpts): void {
  const color = choiceOption("--color <when>", "colour the output", colourModes).default("auto");
  const quiet = new Option("-q, --quiet", "print results and errors only");
  const verbose = new Option("-v, --verbose", "log more; -vv logs most");
  for (const option of [color, quiet, verbose]) {
    command.addOption(option.helpGroup("Options of every command:"));
  }
  command.on("option:color", () => setColourMode(command.opts()["color"] as ColourMode));
  command.on("option:quiet", () => {
    setQuiet(true);
    setLogLevel("error");
  });
  command.on("option:verbose", () => setLogLevel(logLevel() === "info" ? "debug" : "info"));
}

/** Returns the options of `command` without those of every command. A given `--log-level` wins over `--verbose`. */
function ownOptions(command: CommandUnknownOpts): Readonly<Record<string, unknown>> {
  const { color: _1, quiet: _2, verbose: _3, logLevel: level, ...own } = command.opts();
  if (command.getOptionValueSource("logLevel") === "cli") setLogLevel(level as LogLevel);
  return own;
}
