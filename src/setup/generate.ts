/**
 * START HERE for `climax generate`: turns a program's own help into a config, without a language model.
 * What the help does not say is guessed, and every guess is marked; the rest becomes a comment.
 */

import { ClimaxError, ExitCode } from "../errors.ts";
import { hazardsOf } from "../sources/command/hazards.ts";
import { loadConfigs } from "../sources/command/load.ts";
import type { HelpSource } from "./help_source.ts";
import { defaultDepth, defaultMaxCommands } from "./help_bounds.ts";
import { draftTool, type ToolDraft } from "./_tool_draft.ts";
import { toolName, unused } from "./_names.ts";
import { type CommandNode, matches, readTree } from "./_tree.ts";
import { updateConfig } from "./_config_update.ts";
import { writeConfig } from "./_writer.ts";
import type { NamedText } from "../text/named_text.ts";
import { plural } from "../text/plural.ts";

/** Settings of {@linkcode generate}. */
export interface GenerateOptions {
  readonly source: HelpSource;
  /** Levels of subcommands below the given command. @default {@linkcode defaultDepth} */
  readonly depth?: number;
  /** Patterns of commands, without the program, in which `*` stands for any text. */
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  /** Maximum number of commands. @default {@linkcode defaultMaxCommands} */
  readonly maxCommands?: number;
  /** Writes the options that every command has for each. @default false */
  readonly globals?: boolean;
  /** The config's `command`, when it is not the program's name. */
  readonly command?: string;
  /** An earlier config, to which new options are added. */
  readonly existing?: NamedText | undefined;
  /** Called with the next commands before they are asked for. */
  readonly onPlan?: (commands: readonly (readonly string[])[]) => void;
}

/** A config, and notes on it. */
export interface Generated {
  readonly text: string;
  readonly tools: number;
  /** Names of layouts, with the number of help texts in each. */
  readonly layouts: ReadonlyMap<string, number>;
  readonly optionLines: number;
  /** Option lines that were not understood. */
  readonly unread: readonly string[];
  readonly guesses: number;
  /** Commands that gave no help, and those that were not asked. */
  readonly silent: readonly string[];
  readonly unasked: readonly string[];
  /** Options of the tools that can do more than the tools say. */
  readonly hazards: readonly string[];
  /** Entries that an update added, found gone, and could not add; absent: no update. */
  readonly added?: readonly string[];
  readonly gone?: readonly string[];
  readonly refused?: readonly string[];
}

/**
 * Writes a config for the command `words`, program first.
 *
 * @throws {ClimaxError} when the program gives no help, or its help names no tool
 */
export async function generate(
  words: readonly [string, ...string[]],
  options: GenerateOptions,
): Promise<Generated> {
  const { include = [], exclude = [], globals = false } = options;
  const tree = await readTree(words, {
    source: options.source,
    depth: options.depth ?? defaultDepth,
    include,
    exclude,
    maxCommands: options.maxCommands ?? defaultMaxCommands,
    onPlan: options.onPlan ?? (() => {}),
  });
  const called = words.join(" ");
  if (tree.commands.length === 0) throw nothing(`'${called}' prints no help`);
  const nodes = tree.commands.filter((node) => isTool(node) && isWanted(node, include));
  const tools = withUniqueNames(nodes.map((node) => draftTool(node, { globals })));
  if (tools.length === 0) {
    throw nothing(`The help of '${called}' names no command that can be called`);
  }
  const helps = tree.commands.map(({ help }) => help);
  const root = tree.commands[0]!;
  const optionLines = helps.reduce((sum, help) => sum + help.optionLines, 0);
  const unread = helps.flatMap((help) => help.unread);
  const report = {
    tools: tools.length,
    layouts: countBy(helps.map(({ layout }) => layout)),
    optionLines,
    unread,
    guesses: tools.reduce(
      (sum, tool) => sum + 1 + tool.args.flatMap(({ guesses }) => guesses).length,
      0,
    ),
    silent: tree.silent.map((each) => each.join(" ")),
    unasked: tree.unasked.map((each) => each.join(" ")),
  };
  const name = toolName([words[0]]);
  const { existing } = options;
  if (existing !== undefined) {
    const updated = updateConfig(existing.file, existing.text, {
      tools,
      isGone: (command) => isGone([words[0], ...command.split(/\s+/)], tree.commands),
    });
    const hazards = await hazardsIn(existing.file, updated.text);
    return { ...report, ...updated, hazards };
  }
  const text = writeConfig({
    name,
    description: root.words.length === 1 ? root.help.description : "",
    command: options.command ?? words[0],
    tools,
    remarks: remarksOf(called, report),
  });
  const hazards = await hazardsIn(`${name}.yaml`, text);
  return { text, ...report, hazards };
}

/** True when the help of a parent was read, and does not list the command. */
function isGone(words: readonly string[], commands: readonly CommandNode[]): boolean {
  const called = words.join(" ");
  if (commands.some((each) => each.words.join(" ") === called)) return false;
  const above = commands.find((each) => each.words.join(" ") === words.slice(0, -1).join(" "));
  return above !== undefined && above.help.subcommands.length > 0 &&
    !above.help.subcommands.some(({ name }) => name === words.at(-1));
}

/** A command with subcommands can be called, but does nothing. */
function isTool({ help }: CommandNode): boolean {
  if (help.isGroup) return false;
  return help.subcommands.length === 0 || help.positionals.length > 0 || help.options.length > 2;
}

function isWanted({ words }: CommandNode, include: readonly string[]): boolean {
  const name = words.slice(1).join(" ");
  return include.length === 0 || include.some((pattern) => matches(name, pattern));
}

/** Different words may result in the same name. */
function withUniqueNames(tools: readonly ToolDraft[]): ToolDraft[] {
  const taken = new Set<string>();
  return tools.map((tool) => ({ ...tool, name: unused(tool.name, taken) }));
}

function remarksOf(called: string, report: Omit<Generated, "text" | "hazards">): string[] {
  const { layouts, optionLines, unread, guesses, silent, unasked } = report;
  const printed = [...layouts].map(([layout, count]) => `${layout} (${count})`).join(", ");
  return [
    `Written by \`climax generate ${called}\` from the program's own help. Layout: ${printed}.`,
    `${optionLines - unread.length} of ${plural(optionLines, "option line")} understood; ` +
    `${plural(guesses, "guess").replace("guesss", "guesses")}, each marked with "# guess".`,
    "Read every effect and every description before an agent has it, and remove what the agent does not need.",
    ...(silent.length === 0 ? [] : [`Without help: ${silent.join(", ")}.`]),
    ...(unasked.length === 0
      ? []
      : [`Not asked: ${unasked.slice(0, 20).join(", ")}${unasked.length > 20 ? " …" : ""}.`]),
  ];
}

/** The risks of a config. One that does not load is a defect of climax, and not written. */
async function hazardsIn(file: string, text: string): Promise<string[]> {
  const { tools, problems } = await loadConfigs([{ file, text }], () => undefined);
  if (problems.length === 0) return hazardsOf(tools);
  throw new ClimaxError(
    "The config that was written does not load",
    ExitCode.internalError,
    problems,
  );
}

function nothing(message: string): ClimaxError {
  const hint = "Look at its help by hand, and describe it as docs/first-config.md shows";
  return new ClimaxError("Nothing was written", ExitCode.failure, [{ message, hint }]);
}

function countBy(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}
