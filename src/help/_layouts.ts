/**
 * Describes the layouts of help texts: how libraries for command-line programs, such as click and cobra, print help.
 */

import type { Layout } from "./_layout.ts";
import { type OptionHead, readOptionHead } from "./_option_head.ts";
import { typesOf, type TypeWords } from "./_positionals.ts";
import { empty } from "./_rows.ts";

const spread: TypeWords = { list: { type: "string", list: { kind: "spread" } } };

const oclif: Layout = {
  name: "oclif",
  recognises: (text) => /^USAGE\n {2}\$ \S/m.test(text),
};

const dotnet: Layout = {
  name: "dotnet",
  recognises: (text) =>
    /^ +(?:-\?, -h|-h, \/h, -\?|-h, -\?|-\?), --help +Show help and usage information/m.test(text),
};

/** npm's usage shows each option with its value; below the usage, npm describes the options without their values. */
const npm: Layout = {
  name: "npm",
  recognises: (text) => /^Options:\n\[-|^npm <command>$/m.test(text),
  isHandwritten: true,
  clean: (text) => text.replace(/\n\nOptions:\n(?=\[-)/, " "),
};

const git: Layout = {
  name: "git",
  recognises: (text) => /^usage: git\b/m.test(text),
  namesCommandsInUsage: true,
};

/** The layout of thor (Ruby), which prints options in brackets, and `#` in front of their descriptions. */
const thor: Layout = {
  name: "thor",
  recognises: (text) => /^ +(?:-\w, +)?\[--[^\]]+\].* # |^ {2}\S+ help \[COMMAND\] +# /m.test(text),
  clean: (text) =>
    text.replace(
      /^( +(?:-\w, +)?)\[?--.*/gm,
      (line) => line.replace(/\[(--[^\]]+)\]/g, "$1 ").replace("=one two three", " <list>"),
    )
      .replace(/ # (?=\S)/g, "   "),
  typeWords: spread,
};

/** The layout of absl (Python), which prints `--[no]name:` for a switch, and `--name:` for an option with a value. */
const absl: Layout = {
  name: "absl",
  recognises: (text) => /^ +--\[no\]\w+: /m.test(text) && /^ +--\w+: /m.test(text),
  clean: (text) => text.replace(/^( +--\w+):(?= )/gm, "$1 VALUE:"),
};

/** The layout of yargs (Node.js): options without placeholders, and types in brackets at the end of a line. */
const yargs: Layout = {
  name: "yargs",
  showsNoValues: true,
  recognises: (text) =>
    /^ +(?:-\w, )?--[\w-]+.*\[(?:boolean|string|number|array|count)\]/m.test(text) ||
    /^ {2,}(?:-\w, )?--(?:help|version)(?:, -\w)? +Show (?:help|version number)(?: +\[|$)/m
      .test(text),
  // yargs breaks a long default of a list into lines at the margin, which are joined here
  clean: (text) =>
    text.replace(
      /^ *\[array\] \[default: \[[^]{1,2000}?\]\]$/gm,
      (lines) => " ".repeat(40) + lines.replace(/\n? +/g, " ").trim(),
    ),
  typeWords: {
    ...typesOf({ string: "string", number: "number" }),
    ...typesOf({ string: "array" }, { kind: "repeated" }),
  },
};

const argparse: Layout = {
  name: "argparse",
  recognises: (text) =>
    /^positional arguments:$|^(?:[Oo]ptions|optional arguments):\n\s+-h, --help\s+show (?:this )?(?:detailed )?help message and exit/m
      .test(text) ||
    /^usage: /im.test(text) &&
      /^\s+-h, --help\s+(?:show this help message and exit|[Ss]how help)\b|^ +-.* \[\w+ \.\.\.\]/m
        .test(text) ||
    /^usage: \S+(?: [\w-]+)* \[-h\]/.test(text.trimStart()),
  lowerCaseArguments: true,
};

/** The layout of click (Python), with types in capitals, such as TEXT; typer, which uses click, draws frames. */
const click: Layout = {
  name: "click",
  recognises: (text) =>
    /^Usage: .*\[OPTIONS\]/m.test(text) &&
      /--help\s+Show this message and exit\.|^ {2}-.* (?:TEXT|INTEGER|BOOLEAN)(?: |$)/m
        .test(text) ||
    /^╭─ (?:Options|Commands|Arguments)/m.test(text),
  clean: withoutBoxes,
  typeWords: typesOf({
    string: "TEXT PATH FILE FILENAME DIRECTORY UUID DATETIME BOOLEAN str",
    integer: "INTEGER int",
    number: "FLOAT float",
  }),
  readHead(head) {
    // Rich, the library by which typer prints, shows the type `<bool>` for a switch, which takes no value
    const plain = head.replace(/ <bool>$|^\* +/g, "").replace(/ (INTEGER|FLOAT) RANGE\b/, " $1");
    // click prints a switch with the name that turns it off behind a slash: `--check / --no-check`
    const [on, off = ""] = plain.split(/\s+\/\s+/);
    const [, types, dots] = /<([A-Z]+(?: [A-Z]+)+)>( ?\.\.\.)?$/.exec(on!) ?? [];
    if (dots !== undefined) return undefined;
    const read = readOptionHead(types === undefined ? on! : on!.replace(`<${types}>`, types));
    const negations = readOptionHead(off)?.names ?? [];
    return read && { ...read, negations: [...read.negations, ...negations] };
  },
};

/** Turns the frames that typer draws into plain text: `╭─ Options ──╮` becomes a heading, and borders of rows go. */
function withoutBoxes(text: string): string {
  if (!text.includes("╭")) return text;
  return text.split("\n").map((line) => {
    const [, title] = /^\s*╭─+ (.+?) ─*╮/.exec(line) ?? [];
    if (title !== undefined) return `\n${title}:`;
    if (/^\s*╰/.test(line)) return "";
    const row = /^\s*│ (.*)│\s*$/.exec(line)?.[1]?.trimEnd();
    if (row === undefined) return line.replace(/^ (?=Usage: )/, "");
    return `  ${row.replace(/^\*/, " ")}${/^\* +-/.test(row) ? " [required]" : ""}`;
  }).join("\n");
}

/** The layout of Go's package flag: options with one dash and a type, and each description on the next line. */
const goFlag: Layout = {
  name: "go flag",
  isHandwritten: true,
  // Go prints an option of one letter and its description on one line, with a tab between, by which it is recognised
  recognises: (text) => /^ {2}-\w\t|^ {2}-[\w.-]+(?: [\w.,=-]+)?\n {4}\t/m.test(text),
  typeWords: typesOf({ string: "string value duration", integer: "int uint", number: "float" }),
  lowerCaseArguments: true,
};

const clap: Layout = {
  name: "clap",
  recognises(text) {
    const hasUsage =
      /^Usage: \S+.*(?:\[OPTIONS\]|<[A-Z]|\[[A-Z]+\]|\[COMMAND\]|<COMMAND>)|^USAGE:\n {4}\S/m
        .test(text);
    const printsHelp = /^\s+-h, --help\s+Prints? (?:this )?help|^\s+-h, --help\n?\s+Print/m.test(
      text,
    );
    return hasUsage &&
        (printsHelp || /\[possible values: |^(?:FLAGS|ARGS|OPTIONS):$/m.test(text)) ||
      printsHelp && /^Options:\n {2,6}(?:-\w, )?--?[\w-]+.*<[A-Z_]+>/m.test(text) &&
        !text.includes("[options]");
  },
  typeWords: typesOf({ string: "KEY KEY=VALUE" }),
};

const cobraMarks: readonly RegExp[] = [
  /^(?:Available Commands|Management Commands|(?:Global |Inherited |Persistent )?Flags|INHERITED FLAGS):?$/m,
  /^ {2,6}(?:-\w, )?--[\w-]+ (?:string|strings|stringArray|u?int|float64|duration) {2,}\S/m,
  /^Usage:\n {2}\S+.*\[(?:flags|command)\]|^Use "\S+ options" for a list of global/m,
  /^USAGE\n {2}\S+ .*(?:\[flags\]|<command>|<subcommand>)|^Usage: {2}\S+/m,
  /^ {4}(?:-\w, )?--[\w-]+=.*:\n\t/m,
  /^Use "\S+.* --help" for more information about a (?:given )?command/m,
];

/** The layout of cobra and pflag (Go), as in docker, gh and kubectl, with a type after the option: `--label strings`. */
const cobra: Layout = {
  name: "cobra",
  isHandwritten: true,
  recognises: (text) => cobraMarks.some((mark) => mark.test(text)),
  typeWords: {
    ...typesOf({
      string: "string duration bytes",
      integer: "int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 count",
      number: "float float32 float64 decimal",
    }),
    ...typesOf({
      string: "strings stringArray stringSlice stringToString list map filter mount",
      integer: "ints uints",
    }, { kind: "repeated" }),
  },
  lowerCaseArguments: true,
  readHead(head) {
    const [, names, preset] = /^((?:-\w, )?--[\w-]+)=(.*):$/.exec(head) ?? [];
    if (names !== undefined) return kubectlHead(names, preset!);
    // In `--output string[="x"]`, pflag shows that the option may be given without its value
    const [optional] = /\[=.*\]$/.exec(head) ?? [];
    const read = readOptionHead(head.replace(/\[="?[^\]"]*"?\]$/, ""));
    if (read?.value === undefined || optional === undefined) return read;
    return { ...read, value: { ...read.value, optional: true } };
  },
};

/** Reads options of kubectl such as `-o, --output='':`, which show the default and no type. */
function kubectlHead(names: string, preset: string): OptionHead | undefined {
  const read = readOptionHead(names);
  if (read === undefined || preset === "false") return read;
  // kubectl's `--name=true:` is a switch that is on by default, and `--name=false` turns it off
  if (preset === "true") return { ...read, negations: [`${read.names.at(-1)}=false`] };
  const value = { ...empty, repeated: preset === "[]", preset: preset.replace(/^'(.*)'$/, "$1") };
  return { ...read, joined: true, value };
}

/** The layout of commander (Node.js): `<value>` must be given, and `[value]` may be. */
const commander: Layout = {
  name: "commander",
  recognises: (text) =>
    /^Usage: .*\[options\]/m.test(text) &&
    /display help for command|output (?:the version number|usage information)/.test(text),
  clean: (text) =>
    text.replace(/^[─⬡].*$/gm, "").replace(/^(Commands|Options|Global options)$/gmi, "$1:"),
};

const likeCommander: Layout = {
  ...commander,
  isHandwritten: true,
  recognises: (text) => /^Usage: .*\[options\]/m.test(text) && /^Options:?$/m.test(text),
};

const man: Layout = {
  name: "man",
  isHandwritten: true,
  recognises: (text) => /^NAME$/m.test(text) && /^SYNOPSIS$/m.test(text),
  clean: (text) => text.replace(/^ +(?:[A-Z]+ is one of the following):\n/gm, ""),
  readHead(head) {
    // aws prints the type of an option in parentheses: `--count (integer)`
    const [, name, type] =
      /^(--[\w-]+) \((boolean|string|integer|int|float|double|long|list|map|structure|blob|timestamp)\)/
        .exec(head) ?? [];
    if (name !== undefined) return readOptionHead(type === "boolean" ? name : `${name} <${type}>`);
    // Python's fire prints the default behind the placeholder: `--count=COUNT; default=3`
    const [written = "", preset] = /; default=("[^"]*"|\S+)/.exec(head) ?? [];
    const read = readOptionHead(head.replace(written, ""));
    if (read?.value === undefined || preset === undefined) return read;
    return { ...read, value: { ...read.value, preset: preset.replace(/^"(.*)"$/, "$1") } };
  },
  typeWords: {
    ...typesOf({ string: "string", integer: "integer int long", number: "float double" }),
    ...spread,
  },
};

/** The layout of GNU's programs, with which climax also reads a help text that no other layout recognises. */
export const gnu: Layout = { name: "gnu", isHandwritten: true, recognises: () => true };

/** All layouts, in the order in which they are tried; the last one accepts every help text. */
export const layouts: readonly Layout[] = [
  ...[oclif, dotnet, npm, git, thor, absl, yargs, argparse, click, goFlag, clap, cobra],
  ...[commander, likeCommander, man, gnu],
];
