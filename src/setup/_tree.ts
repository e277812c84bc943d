/** Reads a program's help command by command, from the program down to its subcommands, within bounds. */

import type { HelpSource } from "./help_source.ts";
import { runConcurrently } from "./_program_inspector.ts";
import type { CommandHelp, OptionHelp, SubcommandHelp } from "../help/command_help.ts";
import { readHelp, readRow } from "../help/read_help.ts";

/** An option of a command above, which stands after `behind` words, including the program. */
export type PlacedOption = OptionHelp & { readonly behind?: number };

export interface CommandNode {
  /** The words of the command, with the program first. */
  readonly words: readonly [string, ...string[]];
  readonly help: CommandHelp;
  /** The description in the help of the parent command; may be empty. */
  readonly summary: string;
  /** True if the program prints the help of the parent command for this command. */
  readonly sharesHelp: boolean;
  /** The help as the program printed it. */
  readonly text: string;
  readonly language: HelpSource["language"];
  /** Options of commands above, which precede the words below those, and are not in this command's help. */
  readonly above: readonly PlacedOption[];
}

export interface TreeOptions {
  readonly source: HelpSource;
  /** The number of levels of subcommands below the given command. */
  readonly depth: number;
  /** Patterns for commands, without the program; an empty list stands for every command. */
  readonly include: readonly string[];
  readonly maxCommands: number;
  /** Called with the next commands before their help is requested. */
  readonly onPlan: (commands: readonly (readonly string[])[]) => void;
}

export interface CommandTree {
  /** The description of the program in its help; may be empty. */
  readonly about: string;
  /** The commands in the order of the help, each one in front of its subcommands. */
  readonly commands: readonly CommandNode[];
  /** Listed commands that gave no help. */
  readonly withoutHelp: readonly (readonly string[])[];
  /** Listed commands that are too deep or too many, so that their help was not requested. */
  readonly unasked: readonly (readonly string[])[];
}

type Words = readonly [string, ...string[]];

interface HelpRequest {
  readonly words: Words;
  /** The row in the parent's help that describes the command, and that help. */
  readonly row: SubcommandHelp;
  readonly above: CommandNode | undefined;
}

export async function readTree(words: Words, options: TreeOptions): Promise<CommandTree> {
  const found = new Map<string, CommandNode>();
  const withoutHelp: Words[] = [];
  const unasked: Words[] = [];
  let asked = 0;
  const first = await requestBelow(words, options);
  let level: HelpRequest[] = [first];
  for (let depth = 0; level.length > 0; depth++) {
    const room = Math.max(0, options.maxCommands - asked);
    const isTooDeep = depth > options.depth;
    const now = isTooDeep ? [] : level.slice(0, room);
    unasked.push(...level.slice(now.length).map((each) => each.words));
    if (now.length === 0) break;
    asked += now.length;
    options.onPlan(now.map((each) => each.words));
    const next: HelpRequest[] = [];
    await runConcurrently(now, async (each) => {
      const node = await askFor(each, options.source);
      if (node === undefined) withoutHelp.push(each.words);
      else found.set(each.words.join(" "), node);
    });
    for (const each of now) {
      const node = found.get(each.words.join(" "));
      if (node !== undefined) next.push(...belowOf(node, options, found));
    }
    level = next;
  }
  const commands = inOrder(words, found);
  const { description: about = "" } = (first.program ?? commands[0])?.help ?? {};
  return { about, commands, withoutHelp, unasked };
}

/** Requests the help of `words` and of the commands above, which describe the command and have options for it. */
async function requestBelow([program, ...rest]: Words, { source, onPlan }: TreeOptions) {
  const known: CommandNode[] = [];
  for (let length = 0;; length++) {
    const words: Words = [program, ...rest.slice(0, length)];
    const [row] = known.flatMap((node) =>
      node.help.subcommands.filter((each) => `${below(node.words, each)}` === `${words}`)
    ).reverse();
    const named = { name: words.at(-1)!, description: "", usage: "" };
    const request = { words, row: row ?? named, above: known.at(-1) };
    if (length === rest.length) return { ...request, program: known[0] };
    onPlan([words]);
    const node = await askFor(request, source);
    if (node !== undefined) known.push(node);
  }
}

async function askFor(
  { words, row, above }: HelpRequest,
  source: HelpSource,
): Promise<CommandNode | undefined> {
  const text = row.help === undefined ? await source.ask(words) : above!.text;
  if (text === undefined) return undefined;
  // The help of the program may explain exit codes
  const sharesHelp = row.help === undefined && above?.text.startsWith(text) === true;
  const help = row.help ?? (sharesHelp ? readRow(row, words) : readHelp(text, words));
  // In click, an option of a group differs from the same option of a command, unless their texts are the same
  const keysOf = ({ names, description }: OptionHelp) =>
    help.layout === "click" ? names.map((name) => `${name} ${description}`) : names;
  const known = new Set(help.options.flatMap(keysOf));
  return {
    ...{ words, summary: row.description, help, sharesHelp, text, language: source.language },
    above: optionsInFront(above).filter((each) => !keysOf(each).some((key) => known.has(key))),
  };
}

/** Returns the options that the usage of a program, or of a group of commands, has before these commands. */
function optionsInFront(above: CommandNode | undefined): readonly PlacedOption[] {
  if (above === undefined) return [];
  const { layout, optionsFirst, options, positionals } = above.help;
  const isInFront = layout !== "git" && optionsFirst && positionals.length === 0 ||
    /\[global options\] command/i.test(above.text);
  const behind = above.words.length;
  return [...above.above, ...isInFront ? options.map((each) => ({ ...each, behind })) : []];
}

/** Returns the requested subcommands of `node`, each once. */
function belowOf(
  node: CommandNode,
  { include }: TreeOptions,
  known: ReadonlyMap<string, CommandNode>,
): HelpRequest[] {
  const { words, help } = node;
  return help.subcommands.map((row) => ({ words: below(words, row), row, above: node }))
    .filter(({ words: next }) => {
      const name = next.slice(1).join(" ");
      return !known.has(next.join(" ")) &&
        (include.length === 0 || include.some((pattern) => mayLead(name, pattern)));
    });
}

/** Returns the words of a subcommand; `apps:create` replaces `apps`, below which it is listed. */
function below([program, ...rest]: Words, { name }: SubcommandHelp): Words {
  const last = rest.at(-1);
  if (last !== undefined && name.startsWith(`${last}:`)) {
    return [program, ...rest.slice(0, -1), name];
  }
  return [program, ...rest, ...name.split(" ")];
}

/** Returns true when the command `name`, or a parent of it, matches. */
export function matches(name: string, pattern: string): boolean {
  return globOf(pattern, "(?: .*)?").test(name);
}

/** Returns true when a command at or below `name` may match. */
function mayLead(name: string, pattern: string): boolean {
  if (matches(name, pattern)) return true;
  const [words, parts] = [name.split(" "), pattern.split(" ")];
  return words.length < parts.length &&
    words.every((word, index) => globOf(parts[index]!).test(word));
}

function globOf(pattern: string, rest = ""): RegExp {
  return new RegExp(`^${pattern.split("*").map(RegExp.escape).join(".*")}${rest}$`);
}

function inOrder(words: Words, found: ReadonlyMap<string, CommandNode>): CommandNode[] {
  const node = found.get(words.join(" "));
  if (node === undefined) return [];
  const children = node.help.subcommands.map((each) => below(words, each))
    .filter((next) => next.join(" ") !== words.join(" "));
  return [node, ...children.flatMap((next) => inOrder(next, found))];
}
