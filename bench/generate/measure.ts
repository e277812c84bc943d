/**
 * How well `climax generate` reads help: options of captured help texts beside what somebody read
 * in them by hand, layout by layout.
 *
 * `deno run -A bench/generate/measure.ts [--errors]`. A row is one option with its command, whether
 * it takes a value, and its type, and counts as right when all of it is. The truth says what the
 * program takes, also where its help does not say so. Programs of the second table were not looked
 * at while the parsers were written.
 */

import { join } from "node:path";
import { mainName, type OptionHelp } from "../../src/author/help/command_help.ts";
import { readHelp } from "../../src/author/help/read_help.ts";
import { helpFolder, parseCorpus, readCorpus } from "./_corpus.ts";

/** Programs whose truth was written before their help was tried. */
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

/** Commands of programs that are otherwise in the first table. */
const heldOutCommands = ["git commit", "azmcp keyvault secret create"];

interface Tally {
  found: number;
  true: number;
  /** With name, value and type. */
  right: number;
  /** With whether it is a list, too. */
  lists: number;
  names: number;
}

const none: Tally = { found: 0, true: 0, right: 0, lists: 0, names: 0 };

const truthFolder = join(import.meta.dirname!, "truth");
const showErrors = Deno.args.includes("--errors");

/** Reads all truths and prints both tables. */
async function main(): Promise<void> {
  const tables = { seen: new Map<string, Tally>(), unseen: new Map<string, Tally>() };
  for (
    const { name: file } of [...Deno.readDirSync(truthFolder)].toSorted((a, b) =>
      a.name.localeCompare(b.name)
    )
  ) {
    const program = file.replace(/\.txt$/, "");
    const captured = await readCorpus(program);
    for (const { words, text } of parseCorpus(await Deno.readTextFile(join(truthFolder, file)))) {
      const command = words.join(" ");
      const help = captured.find((each) => each.words.join(" ") === command);
      if (help === undefined) throw new Error(`${command} is in no captured help`);
      const read = readHelp(help.text, words);
      const isUnseen = heldOut.includes(program) || heldOutCommands.includes(command);
      const table = isUnseen ? tables.unseen : tables.seen;
      const tally = table.get(read.layout) ?? { ...none };
      table.set(read.layout, tally);
      count(command, {
        rows: text.split("\n").filter((row) => row.trim() !== ""),
        options: read.options,
      }, tally);
    }
  }
  print("layout       options  precision  recall   names only         lists, too");
  for (const [title, table] of [["looked at", tables.seen], ["held out", tables.unseen]] as const) {
    print(title);
    const total = { ...none };
    for (const [layout, tally] of [...table].toSorted()) {
      print(rowOf(`  ${layout}`, tally));
      for (const key of ["found", "true", "right", "lists", "names"] as const) {
        total[key] += tally[key];
      }
    }
    print(rowOf("  all", total));
  }
  await printCoverage();
}

/** The share of option lines that was understood, over everything captured. */
async function printCoverage(): Promise<void> {
  let [lines, unread, texts] = [0, 0, 0];
  const layouts = new Map<string, number>();
  const files = [...Deno.readDirSync(helpFolder)];
  for (const { name } of files) {
    for (const { words, text } of await readCorpus(name.replace(/\.txt$/, ""))) {
      const help = readHelp(text, words);
      texts++;
      lines += help.optionLines;
      unread += help.unread.length;
      layouts.set(help.layout, (layouts.get(help.layout) ?? 0) + 1);
    }
  }
  print(
    `${files.length} programs, ${texts} help texts, ${lines} option lines, ${
      lines - unread
    } understood`,
  );
  print([...layouts].toSorted().map(([name, texts]) => `${name} ${texts}`).join(", "));
}

interface Compared {
  readonly rows: readonly string[];
  readonly options: readonly OptionHelp[];
}

function count(command: string, { rows, options }: Compared, tally: Tally): void {
  const wanted = new Map(rows.map((row) => {
    const [name, ...type] = row.split(" ");
    return [name!, type.join(" ")];
  }));
  const counted = options.filter(({ names }) => {
    return !names.some((name) => /^--?(?:help|version)$/.test(name));
  });
  tally.true += wanted.size;
  tally.found += counted.length;
  for (const option of counted) {
    const name = option.names.find((each) => wanted.has(each));
    if (name === undefined) {
      complain(`${command}: ${mainName(option)} ${typeOf(option)} is no option`);
      continue;
    }
    tally.names++;
    const [type, isRight] = [typeOf(option), wanted.get(name) === typeOf(option)];
    if (isRight) tally.lists++;
    if (type.replace(" list", "") === wanted.get(name)!.replace(" list", "")) tally.right++;
    if (!isRight) complain(`${command}: ${name} is ${wanted.get(name)}, read as ${typeOf(option)}`);
    wanted.delete(name);
  }
  for (const [name, type] of wanted) complain(`${command}: ${name} ${type} was not found`);
}

function typeOf({ value }: OptionHelp): string {
  if (value === undefined) return "boolean";
  return value.list === undefined ? value.type : `${value.type} list`;
}

function rowOf(name: string, { found, true: truth, right, lists, names }: Tally): string {
  const share = (part: number, whole: number) => (part / whole).toFixed(3);
  return [
    name.padEnd(13),
    String(truth).padStart(6),
    share(right, found).padStart(11),
    share(right, truth).padStart(8),
    share(names, found).padStart(14),
    share(names, truth).padStart(8),
    share(lists, found).padStart(14),
    share(lists, truth).padStart(8),
  ].join("");
}

function complain(text: string): void {
  if (showErrors) print(text);
}

function print(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}

await main();
