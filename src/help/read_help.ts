/** START HERE for help texts: reads one text in its layout. */

import { stripControlSequences } from "../text/control_sequences.ts";
import { type Layout, readAs } from "./_layout.ts";
import { typesOf } from "./_positionals.ts";
import type { CommandHelp, SubcommandHelp } from "./command_help.ts";
import { cobra } from "./_cobra.ts";
import { commander, likeCommander, npm, oclif, yargs } from "./_node_layouts.ts";
import { absl, argparse, click } from "./_python_layouts.ts";
import { readOptionHead } from "./_option_head.ts";

/** At most this many characters of a line are read, and fewer blank lines in a row: expressions take quadratic time. */
export const maxLineLength = 2_000;
const maxEmptyLines = 8;

/** Reads the help that the command `words` (program first) printed. */
export function readHelp(text: string, words: readonly string[]): CommandHelp {
  // Manual pages print a letter, go back, and print it again to make it bold
  // deno-lint-ignore no-control-regex
  const whole = stripControlSequences(text.replace(/[^\n]\x08/g, "")).replaceAll("\r", "");
  const plain = boundLines(whole);
  const layout = layouts.find((each) => each.recognises(plain)) ?? gnu;
  return readAs(layout, plain, words);
}

function boundLines(text: string): string {
  let empty = 0;
  return text.split("\n").flatMap((line) => {
    empty = line.trim() === "" ? empty + 1 : 0;
    if (empty > maxEmptyLines) return [];
    return line.length > maxLineLength ? line.slice(0, maxLineLength) : line;
  }).join("\n");
}

/** Returns the help of a command that prints none, from its row in the help of its parent. */
export function readRow(row: SubcommandHelp, words: readonly string[]): CommandHelp {
  const layout = { ...gnu, lowerCaseArguments: true };
  const help = readAs(layout, `usage: ${words.join(" ")} ${row.usage}\n`, words);
  return { ...help, description: row.description, lostPositionals: [] };
}

/** The layout of .NET's System.CommandLine: `-?, -h, --help`, `(REQUIRED)`, values between bars. */
const dotnet: Layout = {
  name: "dotnet",
  recognises: (text) =>
    text.includes("-?") &&
    /^ +(?:-\?, -h|-h, \/h, -\?|-h, -\?|-\?), --help +Show help and usage information/m.test(text),
};

/** The layout of git: `-h` for the short help, `--[no-]name`, `[=<when>]`, groups without a colon. */
const git: Layout = {
  name: "git",
  recognises: (text) => text.includes("usage: git") && /^usage: git\b/m.test(text),
  namesCommandsInUsage: true,
};

/** The layout of Go's flag package: one dash, the type as a word, the description on the next line. */
const goFlag: Layout = {
  name: "go flag",
  isHandwritten: true,
  recognises(text) {
    // A name of one letter and its description share a line, separated by a tab
    return text.includes("\t") && /^ {2}-\w\t|^ {2}-[\w.-]+(?: [\w.,=-]+)?\n {4}\t/m.test(text);
  },
  typeWords: typesOf({ string: "string value duration", integer: "int uint", number: "float" }),
  lowerCaseArguments: true,
};

/** The layout of Rust's clap: `-f, --file <FILE>`, arguments in brackets, values in `[possible values: …]`. */
const clap: Layout = {
  name: "clap",
  recognises(text) {
    const hasUsage =
      /^Usage: \S+.*(?:\[OPTIONS\]|<[A-Z]|\[[A-Z]+\]|\[COMMAND\]|<COMMAND>)|^USAGE:\n {4}\S/m.test(
        text,
      );
    const printsHelp = text.includes("-h, --help") &&
      /^\s+-h, --help\s+Print(?:s)? (?:this )?help|^\s+-h, --help\n?\s+Print/m
        .test(text);
    return hasUsage &&
        (printsHelp || /\[possible values: |^(?:FLAGS|ARGS|OPTIONS):$/m.test(text)) ||
      printsHelp && /^Options:\n {2,6}(?:-\w, )?--?[\w-]+.*<[A-Z_]+>/m.test(text) &&
        !/\[options\]/.test(text);
  },
  typeWords: typesOf({ string: "KEY KEY=VALUE" }),
};

/** The layout of Ruby's thor: names in brackets, descriptions after `#`. */
const thor: Layout = {
  name: "thor",
  recognises: (text) =>
    text.includes(" # ") &&
    /^ +(?:-\w, +)?\[--[^\]]+\].* # |^ {2}\S+ help \[COMMAND\] +# /m.test(text),
  clean: (text) =>
    text.replace(
      /^( +(?:-\w, +)?)\[?--.*/gm,
      (line) => line.replace(/\[(--[^\]]+)\]/g, "$1 ").replace("=one two three", " <list>"),
    )
      .replace(/ # (?=\S)/g, "   "),
  typeWords: { list: { type: "string", list: { kind: "spread" } } },
};

/** The layout of manual pages, and of help in their style: NAME, SYNOPSIS, OPTIONS at the margin. */
const man: Layout = {
  name: "man",
  isHandwritten: true,
  recognises: (text) => /^NAME$/m.test(text) && /^SYNOPSIS$/m.test(text),
  // In aws, "COMMAND is one of the following:" is indented more than the headings
  clean: (text) => text.replace(/^ +(?:[A-Z]+ is one of the following):\n/gm, ""),
  readHead(head) {
    // aws prints the type where other programs print the description
    const typed =
      /^(--[\w-]+) \((boolean|string|integer|int|float|double|long|list|map|structure|blob|timestamp)\)/
        .exec(head);
    if (typed !== null) {
      const word = typed[2]!;
      return readOptionHead(word === "boolean" ? typed[1]! : `${typed[1]} <${word}>`);
    }
    // Python's fire prints a default after the placeholder
    const [written, preset] = /; default=("[^"]*"|\S+)/.exec(head) ?? [];
    const read = readOptionHead(head.replace(written ?? "", ""));
    if (read?.value === undefined || preset === undefined) return read;
    return { ...read, value: { ...read.value, preset: preset.replace(/^"(.*)"$/, "$1") } };
  },
  typeWords: {
    ...typesOf({ string: "string", integer: "integer int long", number: "float double" }),
    list: { type: "string", list: { kind: "spread" } },
  },
};

/** The layout of GNU's conventions, which accepts every text. */
export const gnu: Layout = { name: "gnu", isHandwritten: true, recognises: () => true };

/** All layouts, from the most specific one to the one that accepts everything. */
export const layouts: readonly Layout[] = [
  ...[oclif, dotnet, npm, git, thor, absl, yargs, argparse, click, goFlag, clap, cobra],
  ...[commander, likeCommander, man, gnu],
];
