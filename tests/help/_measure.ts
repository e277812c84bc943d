/** Options of captured help texts beside what somebody read in them by hand. */

import { join } from "node:path";
import { type CommandHelp, mainName, type OptionHelp } from "../../src/help/command_help.ts";
import { readHelp } from "../../src/help/read_help.ts";
import { helpFolder, parseCorpus, readCorpus } from "./_corpus.ts";

/** How many options were found, and how much of each was right. */
export interface Tally {
  /** By the parser. */
  readonly found: number;
  /** By hand. */
  readonly true: number;
  /** Those of which the name is right. */
  readonly names: number;
  /** Those of which name, value and type are right. */
  readonly types: number;
  /** Those of which it is also right whether there may be several values. */
  readonly lists: number;
}

/** Tallies by layout, and everything that is wrong. */
export interface Measured {
  readonly layouts: ReadonlyMap<string, Tally>;
  readonly all: Tally;
  readonly mistakes: readonly string[];
}

/** What was captured, and how much of it was understood. */
export interface Coverage {
  readonly programs: number;
  readonly texts: number;
  readonly lines: number;
  readonly understood: number;
  /** Helps by layout. */
  readonly layouts: ReadonlyMap<string, number>;
}

/** Programs whose help was not looked at while the parsers were written. */
const heldOut = [
  "c8",
  "csvcut",
  "grep",
  "heroku",
  "ncu",
  "npm",
  "restic",
  "sqlfluff",
  "stringer",
  "typos",
];

/** Commands that were not looked at, of programs that were. */
const heldOutCommands = ["git commit", "azmcp keyvault secret create"];

const truthFolder = join(import.meta.dirname!, "truth");

/** Measures the helps that were looked at, or those that were not. */
export async function measure(which: "seen" | "held out"): Promise<Measured> {
  const layouts = new Map<string, Tally>();
  const mistakes: string[] = [];
  let all = nothing;
  for (const program of namesIn(truthFolder)) {
    const captured = await readCorpus(program);
    const truth = await Deno.readTextFile(join(truthFolder, `${program}.txt`));
    for (const { words, text } of parseCorpus(truth)) {
      const command = words.join(" ");
      const isHeldOut = heldOut.includes(program) || heldOutCommands.includes(command);
      if (isHeldOut !== (which === "held out")) continue;
      const help = captured.find((each) => each.words.join(" ") === command);
      if (help === undefined) throw new Error(`${command} is in no captured help`);
      const read = readHelp(help.text, words);
      const tally = compare(command, { text, read, mistakes });
      layouts.set(read.layout, sum(layouts.get(read.layout) ?? nothing, tally));
      all = sum(all, tally);
    }
  }
  return { layouts, all, mistakes };
}

/** The share of option lines that was understood, over everything captured. */
export async function coverage(): Promise<Coverage> {
  const programs = namesIn(helpFolder);
  const layouts = new Map<string, number>();
  let [texts, lines, understood] = [0, 0, 0];
  for (const program of programs) {
    for (const { words, text } of await readCorpus(program)) {
      const { layout, optionLines, unread } = readHelp(text, words);
      texts++;
      lines += optionLines;
      understood += optionLines - unread.length;
      layouts.set(layout, (layouts.get(layout) ?? 0) + 1);
    }
  }
  return { programs: programs.length, texts, lines, understood, layouts };
}

function namesIn(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name.replace(/\.txt$/, "")).toSorted();
}

const nothing: Tally = { found: 0, true: 0, names: 0, types: 0, lists: 0 };

function sum(a: Tally, b: Tally): Tally {
  return {
    found: a.found + b.found,
    true: a.true + b.true,
    names: a.names + b.names,
    types: a.types + b.types,
    lists: a.lists + b.lists,
  };
}

interface Compared {
  readonly text: string;
  readonly read: CommandHelp;
  /** Takes what is wrong. */
  readonly mistakes: string[];
}

function compare(command: string, { text, read, mistakes }: Compared): Tally {
  const rows = text.split("\n").filter((row) => row.trim() !== "").map((row) => {
    const [name, ...type] = row.split(" ");
    return [name!, type.join(" ")] as const;
  });
  const wanted = new Map(rows);
  // Help and version are options of every program, and of no tool
  const found = read.options.filter(({ names }) => {
    return !names.some((name) => /^--?(?:help|version)$/.test(name));
  });
  let [names, types, lists] = [0, 0, 0];
  for (const option of found) {
    const name = option.names.find((each) => wanted.has(each));
    const type = typeOf(option);
    if (name === undefined) {
      mistakes.push(`${command}: ${mainName(option)} ${type} is no option`);
      continue;
    }
    const right = wanted.get(name)!;
    names++;
    if (type === right) lists++;
    else mistakes.push(`${command}: ${name} is ${right}, read as ${type}`);
    if (type.replace(" list", "") === right.replace(" list", "")) types++;
    wanted.delete(name);
  }
  for (const [name, type] of wanted) mistakes.push(`${command}: ${name} ${type} was not found`);
  return { found: found.length, true: rows.length, names, types, lists };
}

function typeOf({ value }: OptionHelp): string {
  if (value === undefined) return "boolean";
  return value.list === undefined ? value.type : `${value.type} list`;
}
