/** Reads the help texts of a program and its subcommands, level by level, up to a number of levels and commands. */

import type { HelpSource } from "./help_source.ts";
import type { CommandHelp, OptionHelp, SubcommandHelp } from "../help/command_help.ts";
import { readHelp, readRow } from "../help/read_help.ts";

export type PlacedOption = OptionHelp & { readonly behind?: number };

export interface CommandNode {
  readonly words: readonly [string, ...string[]];
  readonly help: CommandHelp;
  /** What the parent's help says of the command; may be empty. */
  readonly summary: string;
  /** True if the program prints the parent's help for this subcommand. */
  readonly sharesHelp: boolean;
  readonly text: string;
  readonly language: HelpSource["language"];
  readonly above: readonly PlacedOption[];
}

export interface TreeOptions {
  readonly source: HelpSource;
  readonly depth: number;
  readonly include: readonly string[];
  readonly maxCommands: number;
  readonly onPlan: (commands: readonly (readonly string[])[]) => void;
}

export type CommandTree = Awaited<ReturnType<typeof readTree>>;

type Words = readonly [string, ...string[]];

interface HelpRequest {
  readonly words: Words;
  readonly row: SubcommandHelp;
  readonly above: CommandNode | undefined;
}

export async function readTree(words: Words, options: TreeOptions) {
  const found = new Map<string, CommandNode>();
  const withoutHelp: Words[] = [];
  const unasked: Words[] = [];
  let asked = 0;
  const first = await requestBelow(words, options);
  let level: HelpRequest[] = [first];
  for (let depth = 0; level.length > 0; depth++) {
    const room = depth > options.depth ? 0 : Math.max(0, options.maxCommands - asked);
    const now = level.slice(0, room);
    unasked.push(...level.slice(now.length).map((each) => each.words));
    if (now.length === 0) break;
    asked += now.length;
    options.onPlan(now.map((each) => each.words));
    await runConcurrently(now, async (each) => {
      const node = await askFor(each, options.source);
      if (node === undefined) withoutHelp.push(each.words);
      else found.set(each.words.join(" "), node);
    });
    level = now.flatMap((each) => {
      const node = found.get(each.words.join(" "));
      return node === undefined ? [] : belowOf(node, options, found);
    });
  }
  const commands = inOrder(words, found);
  const { description: about = "" } = (first.program ?? commands[0])?.help ?? {};
  return { about, commands, withoutHelp, unasked };
}

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
  // A subcommand that prints the start of its parent's help has no help of its own
  const sharesHelp = row.help === undefined && above?.text.startsWith(text) === true;
  const help = row.help ?? (sharesHelp ? readRow(row, words) : readHelp(text, words));
  const keysOf = ({ names, description }: OptionHelp) =>
    help.layout === "click" ? names.map((name) => `${name} ${description}`) : names;
  const known = new Set(help.options.flatMap(keysOf));
  return {
    ...{ words, summary: row.description, help, sharesHelp, text, language: source.language },
    above: optionsInFront(above).filter((each) => !keysOf(each).some((key) => known.has(key))),
  };
}

function optionsInFront(above: CommandNode | undefined): readonly PlacedOption[] {
  if (above === undefined) return [];
  const { layout, optionsFirst, options, positionals } = above.help;
  const isInFront = layout !== "git" && optionsFirst && positionals.length === 0 ||
    /\[global options\] command/i.test(above.text);
  const behind = above.words.length;
  return [...above.above, ...isInFront ? options.map((each) => ({ ...each, behind })) : []];
}

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

function below([program, ...rest]: Words, { name }: SubcommandHelp): Words {
  const last = rest.at(-1);
  if (last !== undefined && name.startsWith(`${last}:`)) {
    return [program, ...rest.slice(0, -1), name];
  }
  return [program, ...rest, ...name.split(" ")];
}

export function matches(name: string, pattern: string): boolean {
  return globOf(pattern, "(?: .*)?").test(name);
}

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

const concurrency = 4;

export async function runConcurrently<T>(
  items: Iterable<T>,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const queue = Iterator.from(items);
  await Promise.all(Array.from({ length: concurrency }, async () => {
    for (const item of queue) await work(item);
  }));
}
