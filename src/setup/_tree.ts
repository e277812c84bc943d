/** A program's help, command by command: asks for each, from the top down, as far as it is told to. */

import type { HelpSource } from "./ask_help.ts";
import type { Completer } from "./completions.ts";
import { inTurns } from "./_concurrently.ts";
import type { CommandHelp, SubcommandHelp } from "../help/command_help.ts";
import { isAboutItself } from "../help/about_itself.ts";
import { readHelp } from "../help/read_help.ts";
import { readRow } from "../help/read_row.ts";

/** One command with what its help says. */
export interface CommandNode {
  /** Program first. */
  readonly words: readonly [string, ...string[]];
  readonly help: CommandHelp;
  /** What the command above says of it; may be empty. */
  readonly summary: string;
  /** Options that its completions name, and its help does not. */
  readonly completed: readonly string[];
  /** Whether the program prints the help of the command above for it. */
  readonly sharesHelp: boolean;
}

/** What to ask for. */
export interface TreeOptions {
  readonly source: HelpSource;
  /** Levels of subcommands below the command that is asked for. */
  readonly depth: number;
  /** Patterns of commands, without the program; empty: every one. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** Commands asked for at most. */
  readonly maxCommands: number;
  /** Called with the commands that are asked for next, before they are. */
  readonly onPlan: (commands: readonly (readonly string[])[]) => void;
}

/** What was found. */
export interface CommandTree {
  /** In the order of the help, each command before those below it. */
  readonly commands: readonly CommandNode[];
  /** Commands that were listed, but gave no help. */
  readonly silent: readonly (readonly string[])[];
  /** Commands that were listed and not asked: too deep, or too many. */
  readonly unasked: readonly (readonly string[])[];
}

type Words = readonly [string, ...string[]];

interface Asked {
  readonly words: Words;
  /** What the command above says of it, and the text that says it. */
  readonly row: SubcommandHelp;
  readonly above: string | undefined;
}

interface Told extends CommandNode {
  readonly text: string;
}

/** Asks for `words` and what is below it. */
export async function readTree(words: Words, options: TreeOptions): Promise<CommandTree> {
  const found = new Map<string, Told>();
  const silent: Words[] = [];
  const unasked: Words[] = [];
  let asked = 0;
  const root: SubcommandHelp = { name: words.at(-1)!, description: "", usage: "" };
  let level: Asked[] = [{ words, row: root, above: undefined }];
  for (let depth = 0; level.length > 0; depth++) {
    const room = Math.max(0, options.maxCommands - asked);
    const isTooDeep = depth > options.depth;
    const now = isTooDeep ? [] : level.slice(0, room);
    unasked.push(...level.slice(now.length).map((each) => each.words));
    if (now.length === 0) break;
    asked += now.length;
    options.onPlan(now.map((each) => each.words));
    const next: Asked[] = [];
    await inTurns(now, async (each) => {
      const node = await askFor(each, options.source);
      if (node === undefined) silent.push(each.words);
      else found.set(each.words.join(" "), node);
    });
    for (const each of now) {
      const node = found.get(each.words.join(" "));
      if (node !== undefined) next.push(...belowOf(node, options, found));
    }
    level = next;
  }
  return { commands: inOrder(words, found), silent, unasked };
}

async function askFor({ words, row, above }: Asked, source: HelpSource): Promise<Told | undefined> {
  const answer = await source.ask(words);
  if (answer === undefined) return undefined;
  const { text } = answer;
  const sharesHelp = text === above;
  const help = sharesHelp ? readRow(row, words) : readHelp(text, words);
  const told = { words, summary: row.description, help, sharesHelp, text, completed: [] };
  return source.completer === undefined ? told : await withCompletions(told, source.completer);
}

/** Adds what only completions say. A command that takes arguments is not asked for those. */
async function withCompletions(told: Told, completer: Completer): Promise<Told> {
  const { words, help } = told;
  const subcommands = help.subcommands.length === 0 ? [] : await completer.ask(words, "");
  const options = await completer.ask(words, "--");
  const names = new Set(help.options.flatMap((each) => [...each.names, ...each.negations]));
  const rows = subcommands.map(({ word, description }) => ({ name: word, description, usage: "" }))
    .filter(({ name }) =>
      !isAboutItself(name) && !help.subcommands.some((each) => each.name === name)
    );
  return {
    ...told,
    help: { ...help, subcommands: [...help.subcommands, ...rows] },
    completed: options.map(({ word }) => word).filter((word) => !names.has(word)),
  };
}

/** The commands below `node` that were asked for, each once. */
function belowOf(
  { words, help, text }: Told,
  { include, exclude }: TreeOptions,
  known: ReadonlyMap<string, CommandNode>,
): Asked[] {
  return help.subcommands.map((row) => ({ words: below(words, row), row, above: text }))
    .filter(({ words: next }) => {
      const name = next.slice(1).join(" ");
      return !known.has(next.join(" ")) &&
        (include.length === 0 || include.some((pattern) => mayLead(name, pattern))) &&
        !exclude.some((pattern) => matches(name, pattern));
    });
}

/** `apps:create` below `apps` stands in its place. */
function below([program, ...rest]: Words, { name }: SubcommandHelp): Words {
  const last = rest.at(-1);
  if (last !== undefined && name.startsWith(`${last}:`)) {
    return [program, ...rest.slice(0, -1), name];
  }
  return [program, ...rest, name];
}

/** Whether the command `name`, or one above it, matches. */
export function matches(name: string, pattern: string): boolean {
  const words = name.split(" ");
  return words.some((_, index) => globOf(pattern).test(words.slice(0, index + 1).join(" ")));
}

/** Whether a command at or below `name` may match. */
function mayLead(name: string, pattern: string): boolean {
  if (matches(name, pattern)) return true;
  const [words, parts] = [name.split(" "), pattern.split(" ")];
  return words.length < parts.length &&
    words.every((word, index) => globOf(parts[index]!).test(word));
}

function globOf(pattern: string): RegExp {
  const source = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${source.join(".*")}$`);
}

function inOrder(words: Words, found: ReadonlyMap<string, CommandNode>): CommandNode[] {
  const node = found.get(words.join(" "));
  if (node === undefined) return [];
  const children = node.help.subcommands.map((each) => below(words, each))
    .filter((next) => next.join(" ") !== words.join(" "));
  return [node, ...children.flatMap((next) => inOrder(next, found))];
}
