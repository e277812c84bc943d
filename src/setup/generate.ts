/** START HERE for `climax generate`: turns a program's help into a config; guesses are marked. */

import { climax } from "../process/own_command.ts";
import { ClimaxError, ExitCode } from "../errors.ts";
import { hazardsOf, runsWords } from "../sources/command/hazards.ts";
import { loadConfigs } from "../sources/command/load.ts";
import { makeUnused } from "./_argument_draft.ts";
import { draftTool, type ToolDraft, toolName } from "./_tool_draft.ts";
import {
  type CommandNode,
  type CommandTree,
  matches,
  readTree,
  type TreeOptions,
} from "./_tree.ts";
import { commandExclusion, type ExcludedCommand, needless } from "./_excluded_options.ts";
import { writeConfig } from "./_writer.ts";
import { mainName } from "../help/command_help.ts";
import { listNames } from "../text/excerpt.ts";
import { plural } from "../text/plural.ts";

/** The levels of subcommands below the given command: `gcloud compute instances list` has three. */
export const defaultDepth = 3;

/** The help of this many commands is read: enough for gh, docker and kubectl, but not for a cloud. */
const defaultMaxCommands = 300;

type Words = readonly [string, ...string[]];

/** By default, `depth` is {@linkcode defaultDepth} and `maxCommands` {@linkcode defaultMaxCommands}. */
export interface GenerateOptions extends Partial<TreeOptions> {
  readonly source: TreeOptions["source"];
  /** The config's `command`, when it is not the program's name. */
  readonly command?: string;
}

export interface Generated extends GenerateReport {
  readonly text: string;
  /** The options of the tools that can do more than the tools say. */
  readonly hazards: readonly string[];
}

/** Writes a config for the command `words`, with the program first. @throws {ClimaxError} without a tool */
export async function generate(
  words: Words,
  options: GenerateOptions,
): Promise<Generated> {
  // A pattern with a dash names an option, which stays in every tool
  const { include: patterns = [] } = options;
  const kept = patterns.filter((pattern) => pattern.startsWith("-"));
  const include = patterns.filter((pattern) => !kept.includes(pattern));
  const tree = await readTree(words, {
    ...{ depth: defaultDepth, maxCommands: defaultMaxCommands, onPlan: () => {} },
    ...{ ...options, include },
  });
  const called = words.join(" ");
  if (tree.commands.length === 0) {
    const reason = options.source.whyNot?.();
    throw nothing(`'${called}' prints no help${reason === undefined ? "" : `: ${reason}`}`);
  }
  const { nodes, excluded } = chooseCommands(tree.commands, include);
  const taken = new Set<string>();
  const { about } = tree;
  const context = { tools: nodes.length, common: commonOptions(nodes), kept, about };
  const tools = nodes.map((node) => draftTool(node, context))
    .map((tool) => ({ ...tool, name: makeUnused(tool.name, taken) }));
  const root = tree.commands[0]!;
  const listed = wordsListed(root);
  if (tools.length === 0) throw noTool(called, excluded, tree);
  const report = reportOn(tree, tools, excluded);
  // A subcommand may have no arguments, and so may a program with a short help, such as whoami
  const isEmpty = tools.flatMap(({ args }) => args).every(({ role }) => role.kind === "stdin");
  const isUnread = isEmpty && words.length === 1 && (report.read === 0 ||
        root.text.split(/\n\s*/).length > 12) || report.useless.length === tools.length;
  if (isUnread || isTooThin(report)) {
    const missing = isEmpty
      ? "no argument or command of it can be read"
      : `it describes neither the program nor any of its ${plural(report.arguments, "argument")}`;
    throw nothing(`The help of '${called}' is too thin: ${missing}`, listed);
  }
  const name = toolName([words[0]]);
  const text = writeConfig({
    name,
    description: about || describe(words, tools),
    command: options.command ?? words[0],
    tools,
    remarks: remarksOf(called, report),
  });
  const hazards = await hazardsIn(`${name}.yaml`, text);
  return { text, ...report, hazards };
}

/** Returns the main names of the options that at least three commands, and all of them, have. */
function commonOptions(nodes: readonly CommandNode[]): ReadonlySet<string> {
  const [first, ...others] = nodes.filter(({ help }) => help.subcommands.length === 0)
    .map(({ help }) => new Set(help.options.map(mainName)));
  return first === undefined || others.length < 2
    ? new Set()
    : others.reduce((common, names) => common.intersection(names), first);
}

/** Describes a program whose help does not. */
function describe(words: Words, [first, ...others]: readonly ToolDraft[]): string {
  if (others.length === 0) return first!.description;
  const names = [first!, ...others].map(({ words: path }) => path.slice(words.length).join(" "));
  return `${words.join(" ")}: ${listNames(names.filter((name) => name !== ""), maxItems)}`;
}

/**
 * Divides commands into those that become tools and those that agents cannot use. A command that
 * `include` names stays.
 */
function chooseCommands(commands: readonly CommandNode[], include: readonly string[]) {
  const excluded: ExcludedCommand[] = [];
  const nodes = commands.filter((node) => {
    if (!isTool(node, commands) || !isWanted(node, include)) return false;
    const reason = commandExclusion(node) ?? lackOf(node);
    if (reason === undefined || include.includes(node.words.slice(1).join(" "))) return true;
    excluded.push({ words: node.words, reason });
    return false;
  });
  return { nodes, excluded };
}

/** A help with such a text has commands, even if its usage shows only a placeholder for them. */
const otherCommands =
  /\b(?:available|built-?in|list) commands|\bsub-?commands?\b|^ *(?:[\w-]+ )?commands?: *$|command\]? \[(?:flags|command (?:flags|options|args))/im;

/** Returns the reason why a command cannot be a tool if it needs what was not found. */
function lackOf({ words, help, text }: CommandNode): string | undefined {
  const [[first], [lost]] = [help.positionals, help.lostPositionals];
  const isLost = first === undefined && lost !== undefined &&
    !new RegExp(`[[|] *${RegExp.escape(lost)}`).test(text);
  // A list, or what a known program takes, is a command to run
  const isName = words.length === 1 && help.subcommands.length === 0 && !runsWords(words[0]) &&
    /^(?:sub-?)?(?:command|cmd)$/i.test(first?.name ?? "") && otherCommands.test(text) &&
    first?.description === "" && first.value.list === undefined;
  return isLost || isName
    ? `needs '${lost ?? first?.name}', of which nothing could be read`
    : undefined;
}

/**
 * Returns false for a command that only has subcommands and does nothing by itself: it has no argument, and few
 * options that the commands below it lack.
 */
function isTool({ words, help }: CommandNode, commands: readonly CommandNode[]): boolean {
  if (help.isGroup) return false;
  const below = commands.filter((node) =>
    node.words.length > words.length && words.every((word, at) => node.words[at] === word)
  ).map((node) => new Set(node.help.options.map(mainName)));
  const own = help.options.filter((option) =>
    below.length === 0 || !below.every((names) => names.has(mainName(option)))
  );
  return help.subcommands.length === 0 || help.positionals.length > 0 || own.length > 2;
}

function isWanted({ words }: CommandNode, include: readonly string[]): boolean {
  const name = words.slice(1).join(" ");
  return include.length === 0 || include.some((pattern) => matches(name, pattern));
}

const maxItems = 20;

function remarksOf(called: string, report: GenerateReport): string[] {
  return [
    `Written by climax from the help of ${called}.`,
    'Every guess is marked with "# guess".',
    `${figuresOf(report)}.`,
    ...lossesOf(report).map(([title, items]) => `${title}: ${listNames(items, maxItems)}.`),
    "Read every effect and every description before an agent has it, and remove what the agent does not need.",
  ];
}

/** Returns the risks of a config. A config that does not load is a defect of climax and is not written. */
async function hazardsIn(file: string, text: string): Promise<string[]> {
  const { tools, problems } = await loadConfigs([{ file, text }], () => undefined);
  if (problems.length === 0) return hazardsOf(tools);
  throw new ClimaxError(
    "The config that was written does not load",
    ExitCode.internalError,
    problems,
  );
}

function noTool(
  called: string,
  [first]: readonly ExcludedCommand[],
  { withoutHelp, commands: [root] }: CommandTree,
): ClimaxError {
  const silent = listNames(withoutHelp.map((words) => words.join(" ")), maxItems);
  const message = first === undefined
    ? `The help of '${called}' names no command that can be called${
      silent && `; without help: ${silent}`
    }`
    : `'${first.words.join(" ")}' ${first.reason}, by its help`;
  const isCommand = /needs '(?:sub-?)?(?:command|cmd)/i.test(message);
  const hint = `Its commands may have help: ${climax()} generate ${called} COMMAND`;
  return nothing(message, wordsListed(root!) ?? (isCommand ? hint : undefined));
}

/** Returns advice to draft a single command, if the help lists commands in columns and does not describe them. */
function wordsListed({ words, text }: CommandNode): string | undefined {
  const [, rows = ""] =
    /^\S[^\n]*\bcommands\b[^\n]*\n+((?:[a-z][\w-]*(?: {2,}| *\n))+)/im.exec(text) ?? [];
  const names = rows.split(/\s+/).filter((name) => name !== "" && name !== "help").slice(0, 5);
  const called = names.map((name) => `'${[...words, name].join(" ")}'`).join(", ");
  return names.length < 2
    ? undefined
    : `Its commands may have help: ${climax()} generate ${called} …`;
}

function nothing(
  message: string,
  hint = "Read its help, and describe by hand what you need: docs/first-config.md shows how",
): ClimaxError {
  return new ClimaxError("Nothing was written", ExitCode.failure, [{ message, hint }]);
}

export type GenerateReport = ReturnType<typeof reportOn>;

/** Counts the parts of the help in `tree` that `tools` have, and names the others. */
function reportOn(
  { commands, withoutHelp, unasked }: CommandTree,
  tools: readonly ToolDraft[],
  excluded: readonly ExcludedCommand[],
) {
  const args = tools.flatMap((tool) => tool.args);
  const unread = commands.flatMap(({ help }) => help.unread);
  const below = (words: readonly string[], names: readonly string[]) =>
    names.map((name) => [...words, name].join(" "));
  return {
    tools: tools.length,
    arguments: args.length,
    guesses: tools.length + args.flatMap(({ guesses }) => guesses).length,
    /** The number of lines of options that were read. */
    read: commands.reduce((sum, { help }) => sum + help.optionLines, 0) - unread.length,
    undescribedArguments: args.filter(({ description }) => description === "").length,
    undescribedTools: tools.filter(({ isDescribed }) => !isDescribed).map(({ name }) => name),
    unread,
    /** Other lines that look like rows of a table. */
    lost: commands.flatMap(({ help }) => help.lost),
    /** Arguments whose descriptions look as if they were cut, or begin with a value. */
    doubtful: tools.flatMap(({ name, doubtful }) => below([name], doubtful)),
    lostPositionals: commands.flatMap(({ words, help }) => below(words, help.lostPositionals)),
    /** Options without an argument that a call may need. */
    leftOut: [
      ...new Set(
        tools.flatMap(({ leftOut }) => leftOut)
          .filter(({ reason }) => !needless.has(reason)).map(({ name }) => name),
      ),
    ],
    useless: tools.filter(({ isUseless }) => isUseless).map(({ name }) => name),
    otherUsages: commands.flatMap(({ words, help }) => below(words, help.otherUsages)),
    /** Commands about the programs themselves, without a tool. */
    dropped: commands.flatMap(({ words, help }) =>
      below(words, help.dropped.filter((name) => name !== "help"))
    ),
    excluded: excluded.map(({ words, reason }) => `${words.join(" ")} (${reason})`),
    /** Commands that gave no help, and those whose help was not requested. */
    withoutHelp: withoutHelp.map((each) => each.join(" ")),
    unasked: unasked.map((each) => each.join(" ")),
  };
}

/** Returns true when no text says what the tools and their arguments are for. */
function isTooThin({ tools, undescribedTools, ...report }: GenerateReport): boolean {
  return undescribedTools.length === tools && report.undescribedArguments === report.arguments;
}

export function figuresOf({ tools, arguments: all, read, guesses }: GenerateReport): string {
  return `${plural(tools, "tool")}, ${plural(all, "argument")}; ${
    plural(read, "line")
  } of options read; guesses: ${guesses}`;
}

/** Lists the missing parts: a title, and the items. */
export function lossesOf(report: GenerateReport): [title: string, items: readonly string[]][] {
  const { undescribedArguments: bare, arguments: all } = report;
  const losses: [string, readonly string[]][] = [
    ["Options not understood", report.unread],
    ["Lines not read", report.lost],
    ["Perhaps misread, compare with the help", report.doubtful],
    ["Positional arguments not found", report.lostPositionals],
    ["Options left out; --include=--NAME puts one back", report.leftOut],
    ["Tools that may do nothing", report.useless],
    ["Forms of a call without a tool", report.otherUsages],
    ["No description found for", report.undescribedTools],
    ["Without a description", bare === 0 ? [] : [`${bare} of ${plural(all, "argument")}`]],
    ["Commands left out; --include=NAME drafts one", report.excluded],
    ["Commands about the program itself, without a tool", report.dropped],
    ["Without help", report.withoutHelp],
    ["Not asked: too deep, or too many", report.unasked],
  ];
  return losses.filter(([, items]) => items.length > 0)
    .map(([title, items]) => [items.length > 1 ? `${title} (${items.length})` : title, items]);
}
