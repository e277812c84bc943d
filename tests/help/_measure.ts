/** Options of captured help texts beside what somebody read in them by hand. */

import { join } from "node:path";
import { type CommandHelp, mainName, type OptionHelp } from "../../src/help/command_help.ts";
import { readHelp } from "../../src/help/read_help.ts";
import { helpFolder, parseCorpus, readCorpus } from "./_corpus.ts";

/** How many options were found, and how many of them are right. */
export interface Measured {
  /** By the parser. */
  found: number;
  /** By hand. */
  true: number;
  /** Those of which name, value and type are right. */
  types: number;
  readonly mistakes: string[];
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
  ...["c8", "csvcut", "grep", "heroku", "ncu", "npm", "restic", "sqlfluff", "stringer", "typos"],
];

/** Commands that were not looked at, of programs that were. */
const heldOutCommands = ["git commit", "azmcp keyvault secret create"];

const truthFolder = join(import.meta.dirname!, "truth");

/** Measures the helps that were looked at, or those that were not. */
export async function measure(which: "seen" | "held out"): Promise<Measured> {
  const all: Measured = { found: 0, true: 0, types: 0, mistakes: [] };
  for (const program of namesIn(truthFolder)) {
    const captured = await readCorpus(program);
    const truth = await Deno.readTextFile(join(truthFolder, `${program}.txt`));
    for (const { words, text } of parseCorpus(truth)) {
      const command = words.join(" ");
      const isHeldOut = heldOut.includes(program) || heldOutCommands.includes(command);
      if (isHeldOut !== (which === "held out")) continue;
      const help = captured.find((each) => each.words.join(" ") === command);
      if (help === undefined) throw new Error(`${command} is in no captured help`);
      compare(command, text, readHelp(help.text, words), all);
    }
  }
  return all;
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

function compare(command: string, text: string, read: CommandHelp, all: Measured): void {
  const rows = text.split("\n").filter((row) => row.trim() !== "").map((row) => {
    const [name, ...type] = row.split(" ");
    return [name!, type.join(" ")] as const;
  });
  const wanted = new Map(rows);
  // Help and version are options of every program, and of no tool
  const found = read.options.filter(({ names }) => {
    return !names.some((name) => /^--?(?:help|version)$/.test(name));
  });
  all.found += found.length;
  all.true += rows.length;
  for (const option of found) {
    const name = option.names.find((each) => wanted.has(each));
    const type = typeOf(option);
    const right = name === undefined ? undefined : wanted.get(name)!;
    if (type !== right) {
      all.mistakes.push(`${command}: ${mainName(option)} is ${right}, read as ${type}`);
    }
    if (type.replace(" list", "") === right?.replace(" list", "")) all.types++;
    if (name !== undefined) wanted.delete(name);
  }
  for (const [name, type] of wanted) all.mistakes.push(`${command}: ${name} ${type} was not found`);
}

function typeOf({ value }: OptionHelp): string {
  if (value === undefined) return "boolean";
  return value.list === undefined ? value.type : `${value.type} list`;
}
