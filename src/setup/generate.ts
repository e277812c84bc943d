/** START HERE for `climax generate`: turns a program's help into a config, in which guesses are marked. */

import { climax } from "../process/own_command.ts";
import { ClimaxError, ExitCode, UsageError } from "../errors.ts";
import { hazardsOf, runsWords } from "../sources/command/hazards.ts";
import { loadConfigs } from "../sources/command/load.ts";
import { makeUnused } from "./_argument_draft.ts";
import { draftTool, toolName } from "./_tool_draft.ts";
import {
  type CommandNode,
  type CommandTree,
  matches,
  readTree,
  type TreeOptions,
} from "./_tree.ts";
import { type DraftReport, maxItems, reportOn } from "./_draft_report.ts";
import { commandExclusion, type ExcludedCommand, isOfEveryCommand } from "./_excluded_options.ts";
import { writeConfig } from "./_writer.ts";
import { mainName } from "../help/command_help.ts";
import { listNames } from "../text/excerpt.ts";
import { plural } from "../text/plural.ts";
import { nearHint } from "../text/similar_names.ts";

/** The levels of subcommands that are read: `gcloud compute instances list` has three. */
export const defaultDepth = 3;

type Words = readonly [string, ...string[]];

export interface GenerateOptions extends Partial<TreeOptions> {
  readonly source: TreeOptions["source"];
  readonly command?: string;
}

export interface Generated extends DraftReport {
  readonly text: string;
  readonly hazards: readonly string[];
}

/** Drafts a config for the command `words`, which begins with the program. @throws {ClimaxError} if no tool results */
export async function generate(words: Words, options: GenerateOptions): Promise<Generated> {
  const { include: patterns = [] } = options;
  const kept = patterns.filter((pattern) => pattern.startsWith("-"));
  const include = patterns.filter((pattern) => !kept.includes(pattern));
  const tree = await readTree(words, {
    // Three hundred commands are enough for gh, docker and kubectl, but not for the command of a cloud
    ...{ depth: defaultDepth, maxCommands: 300, onPlan: () => {} },
    ...{ ...options, include },
  });
  const called = words.join(" ");
  if (tree.commands.length === 0) {
    const reason = options.source.whyNot?.();
    throw nothing(`'${called}' prints no help${reason === undefined ? "" : `: ${reason}`}`);
  }
  const { about } = tree;
  const common = commonOptions(tree);
  const { nodes, excluded } = chooseCommands(tree, common, include);
  requireOptions(kept, nodes, called);
  const taken = new Set<string>();
  const context = { tools: nodes.length, common, kept, about };
  const tools = nodes.map((node) => draftTool(node, context))
    .map((tool) => ({ ...tool, name: makeUnused(tool.name, taken) }));
  const root = tree.commands[0]!;
  const args = tools.flatMap((tool) => tool.args);
  const isEmpty = args.every(({ role }) => role.kind === "stdin");
  const isUnread = isEmpty && words.length === 1 && (root.text.split(/\n\s*/).length > 12 ||
        tree.commands.every(({ help }) => help.optionLines === help.unread.length)) ||
    tools.every(({ isUseless }) => isUseless);
  const isUndescribed = tools.every(({ isDescribed }) => !isDescribed) &&
    args.every(({ description }) => description === "");
  const isThin = isUnread || isUndescribed;
  const page = isThin && excluded.length === 0 ? await options.source.page?.(words) : undefined;
  if (page !== undefined) {
    // The manual page is used for the program alone, since it does not describe the subcommands
    const ask = (of: Words) => Promise.resolve(`${of}` === `${words}` ? page : undefined);
    return await generate(words, { ...options, onPlan: () => {}, source: { ask } });
  }
  if (tools.length === 0) throw noTool(called, excluded, tree);
  if (isThin) {
    const missing = isEmpty
      ? "no argument or command of it can be read"
      : `it describes neither the program nor any of its ${plural(args.length, "argument")}`;
    throw nothing(`The help of '${called}' is too thin: ${missing}`, root);
  }
  const report = reportOn(tree, tools, excluded);
  const name = toolName([words[0]]);
  const below = nodes.map((node) => node.words.slice(words.length).join(" "));
  const names = listNames(below.filter((each) => each !== ""), maxItems);
  const text = writeConfig({
    name,
    description: about || (tools.length === 1 ? tools[0]!.description : `${called}: ${names}`),
    command: options.command ?? words[0],
    tools,
    remarks: [
      `Written by climax from the help of ${called}.`,
      'Every guess is marked with "# guess".',
      ...[report.figures, ...report.losses].map((line) => `${line}.`),
      "Read every effect and every description before an agent has it, and remove what the agent does not need.",
    ],
  });
  const hazards = await hazardsIn(`${name}.yaml`, text);
  return { text, ...report, hazards };
}

/** @throws {UsageError} if a person wants to keep an option that the program does not have */
function requireOptions(kept: readonly string[], nodes: readonly CommandNode[], called: string) {
  const names = new Set(
    nodes.flatMap(({ help, above }) => [...help.options, ...above].flatMap((each) => each.names)),
  );
  const missing = kept.find((name) => !names.has(name));
  if (missing === undefined || nodes.length === 0) return;
  const hint = nearHint(missing, names) ?? `Its options: ${listNames([...names], maxItems)}`;
  throw new UsageError(`No option '${missing}' was found in the help of '${called}'`, hint);
}

function commonOptions({ commands }: CommandTree): ReadonlySet<string> {
  const names = commands.filter(({ help }) => help.subcommands.length === 0)
    .map(({ help }) => new Set(help.options.map(mainName)));
  if (names.length < 3) return new Set();
  return names.reduce((common, others) => common.intersection(others));
}

function chooseCommands(
  { commands }: CommandTree,
  common: ReadonlySet<string>,
  include: readonly string[],
) {
  const excluded: ExcludedCommand[] = [];
  const nodes = commands.filter((node) => {
    const name = node.words.slice(1).join(" ");
    const isWanted = include.length === 0 || include.some((pattern) => matches(name, pattern));
    if (!isWanted || !isTool(node, common)) return false;
    const reason = commandExclusion(node) ?? lackOf(node);
    if (reason === undefined || include.includes(name)) return true;
    excluded.push({ words: node.words, reason });
    return false;
  });
  return { nodes, excluded };
}

/** Matches help texts that mention subcommands although they may list none. */
const otherCommands =
  /\b(?:available|built-?in|list) commands|\bsub-?commands?\b|^ *(?:[\w-]+ )?commands?: *$|command\]? \[(?:flags|command (?:flags|options|args))/im;

function lackOf({ words, help, text }: CommandNode): string | undefined {
  const [[first], [lost]] = [help.positionals, help.lostPositionals];
  const isLost = first === undefined && lost !== undefined &&
    !new RegExp(`[[|] *${RegExp.escape(lost)}`).test(text);
  const isName = words.length === 1 && help.subcommands.length === 0 && !runsWords(words[0]) &&
    /^(?:sub-?)?(?:command|cmd)$/i.test(first?.name ?? "") && otherCommands.test(text) &&
    first?.description === "" && first.value.list === undefined &&
    (first.required || help.positionals.length === 1);
  if (!isLost && !isName) return undefined;
  return `needs '${lost ?? first?.name}', of which nothing could be read`;
}

function isTool({ help, words }: CommandNode, common: ReadonlySet<string>): boolean {
  const own = help.options.filter((option) => !common.has(mainName(option)));
  const isDouble = help.layout === "cobra" && words.length > 1 &&
    help.options.some((each) => mainName(each) !== "--help" && !isOfEveryCommand(each));
  return help.subcommands.length === 0 ||
    !help.isGroup && (help.positionals.length > 0 || own.length > 2 || isDouble);
}

/** Returns the risks of a drafted config. @throws {ClimaxError} if it does not load, which is a fault of climax */
async function hazardsIn(file: string, text: string): Promise<string[]> {
  const { tools, problems } = await loadConfigs([{ file, text }], () => undefined);
  if (problems.length === 0) return hazardsOf(tools);
  const message = "The config that was written does not load";
  throw new ClimaxError(message, ExitCode.internalError, problems);
}

function noTool(
  called: string,
  [first]: readonly ExcludedCommand[],
  { withoutHelp, commands: [root] }: CommandTree,
): ClimaxError {
  if (first !== undefined) {
    return nothing(`'${first.words.join(" ")}' ${first.reason}, by its help`, root);
  }
  const silent = listNames(withoutHelp.map((words) => words.join(" ")), maxItems);
  const message = `The help of '${called}' names no command that can be called`;
  return nothing(silent === "" ? message : `${message}; without help: ${silent}`, root);
}

function nothing(message: string, { words, text }: Partial<CommandNode> = {}): ClimaxError {
  const [, rows = ""] =
    /^\S[^\n]*\bcommands\b[^\n]*\n+((?:[a-z][\w-]*(?: {2,}| *\n))+)/im.exec(text ?? "") ?? [];
  const names = rows.split(/\s+/).filter((name) => name !== "" && name !== "help").slice(0, 5);
  const listed = names.map((name) => `'${[...words ?? [], name].join(" ")}'`).join(", ");
  const isCommand = /needs '(?:sub-?)?(?:command|cmd)/i.test(message);
  const command = names.length > 1 ? `${listed} …` : `${words?.join(" ")} COMMAND`;
  const hint = names.length > 1 || isCommand
    ? `Its commands may have help: ${climax()} generate ${command}`
    : "Read its help, and describe by hand what you need: docs/first-config.md shows how";
  return new ClimaxError("Nothing was written", ExitCode.failure, [{ message, hint }]);
}
