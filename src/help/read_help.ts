/** START HERE for help texts: reads one text in its layout. */

import { stripControlSequences } from "../text/control_sequences.ts";
import { type Layout, readAs } from "./_layout.ts";
import { positionalOf, typesOf } from "./_positionals.ts";
import { formsOf, readForms } from "./_usage.ts";
import type { CommandHelp, OptionHelp, SubcommandHelp } from "./command_help.ts";
import { cobra } from "./_cobra.ts";
import { readOptionHead } from "./_option_head.ts";
import type { Section } from "./_sections.ts";

/** So many characters of a line are read, and so many empty lines in a row: expressions take a time that is quadratic in both. */
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

/** Returns the help of a command that prints none, from its row in the help of the command above. */
export function readRow(row: SubcommandHelp, words: readonly string[]): CommandHelp {
  const line = { indent: 0, text: `${words.join(" ")} ${row.usage}` };
  const usage = readForms(formsOf([line], words), {
    ...{ words, lowerCase: true, plurals: true, hasSubcommands: false },
    switches: new Set(),
  });
  return {
    layout: "gnu",
    description: row.description,
    options: [],
    positionals: usage.arguments.map((each) => positionalOf(each, undefined)),
    lostPositionals: [],
    subcommands: [],
    dropped: [],
    isGroup: false,
    optionsFirst: false,
    acceptsDashes: false,
    mentionsInput: false,
    isInteractiveAlone: false,
    optionLines: 0,
    unread: [],
    lost: [],
    otherUsages: [],
  };
}

/** Node's oclif: sections in capitals, `$` before the usage, `--name=<value>`. */
const oclif: Layout = {
  name: "oclif",
  recognises: (text) => /^USAGE\n {2}\$ \S/m.test(text),
  readHead(head) {
    const [, before, choices] = /^(.*)=<options?:? ?([^>]+)>/.exec(head) ?? [];
    return readOptionHead(before === undefined ? head : `${before}=<${choices}>`);
  },
};

/** .NET's System.CommandLine: `-?, -h, --help`, `(REQUIRED)`, values between bars. */
const dotnet: Layout = {
  name: "dotnet",
  recognises: (text) =>
    text.includes("-?") &&
    /^ +(?:-\?, -h|-h, \/h, -\?|-h, -\?|-\?), --help +Show help and usage information/m.test(text),
  readHead(head) {
    const read = readOptionHead(head.replace(/\s*\(REQUIRED\)$/, ""));
    const [, inner] = /<([\w.+-]+(?:\|[\w.+-]+)+)>/.exec(head) ?? [];
    if (read?.value === undefined || inner === undefined) return read;
    return { ...read, value: { ...read.value, choices: inner.split("|") } };
  },
  refine: (option, _annotations, { head }) => ({ ...option, required: /\(REQUIRED\)$/.test(head) }),
  // Commands may be grouped under titles of the program's own
  listsCommands: ({ title }: Section) => !/^(?:|description|arguments|aliases)$/i.test(title),
};

/** npm's own: values in the usage only, each option described below it without them. */
const npm: Layout = {
  name: "npm",
  recognises: (text) => /^Options:\n\[-/m.test(text) || /^npm <command>$/m.test(text),
  clean: withValues,
};

/** Puts the values in the brackets behind the names that they belong to. */
function withValues(text: string): string {
  const [, brackets] = /^Options:\n((?:\[.*\n)+)/m.exec(text) ?? [];
  if (brackets === undefined) return text;
  const values = new Map<string, string>();
  for (const [, names, value] of brackets.replace(/\n/g, " ").matchAll(/\[(-[\w|-]+) (<[^>]+>)/g)) {
    const isRepeated = brackets.includes(`${value} [${names}`);
    values.set(names!, value! + (isRepeated ? "..." : ""));
  }
  return text.replace(/^ {2}(-[\w|-]+)$/gm, (line, names: string) => {
    const value = values.get(names);
    return value === undefined ? line : `  ${names} ${value}`;
  });
}

/** git's own: `-h` for the short help, `--[no-]name`, `[=<when>]`, groups without a colon. */
const git: Layout = {
  name: "git",
  recognises: (text) => /^usage: git\b/m.test(text),
  listsCommands: ({ lines }: Section) => {
    const full = lines.filter(({ text }) => text !== "");
    return full.length > 0 &&
      full.every(({ indent, text }) => indent === 3 && /^[a-z][\w-]+ {2,}[A-Z]/.test(text));
  },
  namesCommandsInUsage: true,
};

/** Python's argparse, and optparse before it: `-f FILE, --file FILE`. */
const argparse: Layout = {
  name: "argparse",
  recognises(text) {
    return /^positional arguments:$/m.test(text) ||
      text.includes("-h, --help") &&
        /^(?:[Oo]ptions|optional arguments):\n\s+-h, --help\s+show (?:this )?(?:detailed )?help message and exit/m
          .test(text) ||
      text.includes("-h, --help") &&
        /^\s+-h, --help\s+(?:show this help message and exit|[Ss]how help)\b/m.test(text) &&
        /^usage: /im.test(text) ||
      /^ +-.* \[\w+ \.\.\.\]/m.test(text) && /^usage: /im.test(text) ||
      /^usage: \S+(?: [\w-]+)* \[-h\]/.test(text.trimStart());
  },
  nestsCommands: true,
  lowerCaseArguments: true,
  refine(option) {
    const { value } = option;
    if (value === undefined || value.list?.kind !== "repeated") return option;
    // `--file FILE [FILE ...]`: the values follow one another, and a second option would replace the first
    const isSpread = !value.guesses.includes("list");
    return isSpread ? { ...option, value: { ...value, list: { kind: "spread" } } } : option;
  },
};

const clickTypes = typesOf({
  string: "TEXT PATH FILE FILENAME DIRECTORY UUID DATETIME BOOLEAN str",
  integer: "INTEGER int",
  number: "FLOAT float",
});

/** Python's click, and typer on top of it, which draws boxes. */
const click: Layout = {
  name: "click",
  recognises(text) {
    return /^Usage: .*\[OPTIONS\]/m.test(text) &&
        /--help\s+Show this message and exit\.|^ {2}-.* (?:TEXT|INTEGER|BOOLEAN)(?: |$)/m.test(
          text,
        ) ||
      /^╭─ (?:Options|Commands|Arguments)/m.test(text);
  },
  clean: withoutBoxes,
  typeWords: clickTypes,
  readHead(head) {
    // Rich tables have a type for switches, too
    const range = head.replace(/ <bool>$/, "").replace(/ (INTEGER|FLOAT) RANGE\b/, " $1").replace(
      /^\* +/,
      "",
    );
    // `--check / --no-check`: two names of one switch
    const [on, off] = range.split(/\s+\/\s+/);
    // A tuple has a type for each value, and a config has no list of tuples
    const [, types, dots] = /<([A-Z]+(?: [A-Z]+)+)>(\.\.\.)?$/.exec(on!) ?? [];
    if (dots !== undefined) return undefined;
    const read = readOptionHead(types === undefined ? on! : on!.replace(`<${types}>`, types));
    if (read === undefined || off === undefined) return read;
    const negative = readOptionHead(off);
    const names = negative === undefined ? [] : [...negative.names];
    return { ...read, negations: [...read.negations, ...names] };
  },
};

/** Makes a heading of `╭─ Options ──╮`, and removes the frame of the rows. */
function withoutBoxes(text: string): string {
  if (!text.includes("╭")) return text;
  const rows: string[] = [];
  for (const line of text.split("\n")) {
    const title = /^\s*╭─+ (.+?) ─*╮/.exec(line);
    if (title !== null) {
      rows.push("", `${title[1]}:`);
    } else if (/^\s*╰/.test(line)) {
      rows.push("");
    } else {
      const row = /^\s*│ (.*)│\s*$/.exec(line)?.[1]?.trimEnd();
      const required = row?.startsWith("*") && /^\* +-/.test(row) ? " [required]" : "";
      rows.push(
        row === undefined
          ? line.replace(/^ (?=Usage: )/, "")
          : `  ${row.replace(/^\*/, " ")}${required}`,
      );
    }
  }
  return rows.join("\n");
}

/** Go's own flag package: one dash, a type word, the description on the next line. */
const goFlag: Layout = {
  name: "go flag",
  isHandwritten: true,
  recognises(text) {
    // A name of one letter and its description share a line, separated by a tab
    return /^ {2}-\w\t|^ {2}-[\w.-]+(?: [\w.,=-]+)?\n {4}\t/m.test(text);
  },
  typeWords: typesOf({ string: "string value duration", integer: "int uint", number: "float" }),
  lowerCaseArguments: true,
};

const typeWord = /\[(?:boolean|string|number|array|count)\]/;

/** Node's yargs: names only, and the type in brackets at the end of the line. */
const yargs: Layout = {
  name: "yargs",
  recognises(text) {
    return typeWord.test(text) &&
        /^ +(?:-\w, )?--[\w-]+.*\[(?:boolean|string|number|array|count)\]/m.test(text) ||
      /^ {2,}(?:-\w, )?--(?:help|version)(?:, -\w)? +Show (?:help|version number)(?: +\[|$)/m.test(
        text,
      );
  },
  refine(option, annotations): OptionHelp {
    if (
      option.value !== undefined || annotations.words.has("boolean") ||
      annotations.words.has("count")
    ) {
      return { ...option, counted: option.counted || annotations.words.has("count") };
    }
    const isList = annotations.words.has("array");
    const isNumber = annotations.words.has("number");
    const hasDefault = annotations.default !== undefined &&
      !/^(?:true|false)$/.test(annotations.default);
    const isString = annotations.words.has("string") ||
      annotations.choices !== undefined && !annotations.choicesGuessed;
    if (!isList && !isNumber && !isString && !hasDefault) return option;
    const typed = isNumber || isString || isList;
    const looksInteger = /^-?\d+$/.test(annotations.default ?? "");
    return {
      ...option,
      value: {
        placeholder: "",
        type: isNumber ? "number" : looksInteger && !isString ? "integer" : "string",
        optional: false,
        ...(isList ? { list: { kind: "repeated" } } : {}),
        ...(annotations.choices === undefined ? {} : { choices: annotations.choices }),
        ...(annotations.default === undefined ? {} : { default: annotations.default }),
        guesses: typed ? [] : ["type"],
      },
    };
  },
};

/** Rust's clap: `-f, --file <FILE>`, arguments in brackets, values in `[possible values: …]`. */
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

/** Node's commander: `[options]` in the usage, `<value>` must be given, `[value]` may be. */
const commander: Layout = {
  name: "commander",
  recognises(text) {
    return /^Usage: .*\[options\]/m.test(text) &&
      /display help for command|output (?:the version number|usage information)/.test(text);
  },
  clean: (text) =>
    text.replace(/^[─⬡].*$/gm, "").replace(/^(Commands|Options|Global options)$/gmi, "$1:"),
};

/** Programs whose help begins like that of commander. */
const likeCommander: Layout = {
  ...commander,
  isHandwritten: true,
  recognises: (text) => /^Usage: .*\[options\]/m.test(text) && /^Options:?$/m.test(text),
};

/** Manual pages, and help that is printed like one: NAME, SYNOPSIS, OPTIONS at the margin. */
const man: Layout = {
  name: "man",
  isHandwritten: true,
  recognises: (text) => /^NAME$/m.test(text) && /^SYNOPSIS$/m.test(text),
  // "COMMAND is one of the following:" is indented more than the headings
  clean: (text) => text.replace(/^ +(?:[A-Z]+ is one of the following):\n/gm, ""),
  readHead(head) {
    // aws puts the type where others put the description
    const typed =
      /^(--[\w-]+) \((boolean|string|integer|int|float|double|long|list|map|structure|blob|timestamp)\)/
        .exec(head);
    if (typed !== null) {
      const word = typed[2]!;
      return readOptionHead(word === "boolean" ? typed[1]! : `${typed[1]} <${word}>`);
    }
    return readOptionHead(head.replace(/; default=("[^"]*"|\S+)/, ""));
  },
  typeWords: {
    ...typesOf({ string: "string", integer: "integer int long", number: "float double" }),
    list: { type: "string", list: { kind: "spread" } },
  },
  refine(option, _annotations, { head }) {
    const [, written] = /; default=("[^"]*"|\S+)/.exec(head) ?? [];
    if (written === undefined || option.value === undefined) return option;
    const { value } = option;
    const isNumber = value.type === "string" && /^\d+$/.test(written);
    const typed = isNumber ? { type: "integer" as const, guesses: [...value.guesses, "type"] } : {};
    return { ...option, value: { ...value, ...typed, default: written.replace(/^"(.*)"$/, "$1") } };
  },
};

/** The fallback: GNU's conventions, and everything without a layout of its own. */
export const gnu: Layout = { name: "gnu", isHandwritten: true, recognises: () => true };

/** All layouts, from the most specific one to the one that accepts everything. */
export const layouts: readonly Layout[] = [
  ...[
    oclif,
    dotnet,
    npm,
    git,
    yargs,
    argparse,
    click,
    goFlag,
    clap,
    cobra,
    commander,
    likeCommander,
    man,
    gnu,
  ],
];
