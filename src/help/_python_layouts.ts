/** Reads help of the libraries of Python: argparse, click, typer, absl. */

import type { Layout } from "./_layout.ts";
import { readOptionHead } from "./_option_head.ts";
import { typesOf } from "./_positionals.ts";

/** argparse, and optparse before it, print `-f FILE, --file FILE`. */
export const argparse: Layout = {
  name: "argparse",
  recognises(text) {
    return /^positional arguments:$/m.test(text) ||
      text.includes("-h, --help") && (
          /^(?:[Oo]ptions|optional arguments):\n\s+-h, --help\s+show (?:this )?(?:detailed )?help message and exit/m
            .test(text) ||
          /^\s+-h, --help\s+(?:show this help message and exit|[Ss]how help)\b/m.test(text) &&
            /^usage: /im.test(text)
        ) ||
      text.includes(" ...]") && /^ +-.* \[\w+ \.\.\.\]/m.test(text) && /^usage: /im.test(text) ||
      /^usage: \S+(?: [\w-]+)* \[-h\]/.test(text.trimStart());
  },
  lowerCaseArguments: true,
};

const clickTypes = typesOf({
  string: "TEXT PATH FILE FILENAME DIRECTORY UUID DATETIME BOOLEAN str",
  integer: "INTEGER int",
  number: "FLOAT float",
});

/** click prints types such as TEXT in capitals; typer, which uses click, draws frames. */
export const click: Layout = {
  name: "click",
  recognises(text) {
    return text.includes("[OPTIONS]") && /^Usage: .*\[OPTIONS\]/m.test(text) &&
        /--help\s+Show this message and exit\.|^ {2}-.* (?:TEXT|INTEGER|BOOLEAN)(?: |$)/m.test(
          text,
        ) ||
      /^╭─ (?:Options|Commands|Arguments)/m.test(text);
  },
  clean: withoutBoxes,
  typeWords: clickTypes,
  readHead(head) {
    // Tables of rich show a type for switches too
    const range = head.replace(/ <bool>$/, "").replace(/ (INTEGER|FLOAT) RANGE\b/, " $1").replace(
      /^\* +/,
      "",
    );
    // `--check / --no-check` are two names of one switch
    const [on, off] = range.split(/\s+\/\s+/);
    // A tuple has a type for each value, and a config has no list of tuples
    const [, types, dots] = /<([A-Z]+(?: [A-Z]+)+)>( ?\.\.\.)?$/.exec(on!) ?? [];
    if (dots !== undefined) return undefined;
    const read = readOptionHead(types === undefined ? on! : on!.replace(`<${types}>`, types));
    if (read === undefined || off === undefined) return read;
    const negative = readOptionHead(off);
    const names = negative === undefined ? [] : [...negative.names];
    return { ...read, negations: [...read.negations, ...names] };
  },
};

/** Turns `╭─ Options ──╮` into a heading, and removes the frames of the rows. */
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

/** In absl, `--[no]name:` is a switch, and `--name:` has a value. */
export const absl: Layout = {
  name: "absl",
  recognises: (text) =>
    text.includes("--[no]") && /^ +--\[no\]\w+: /m.test(text) && /^ +--\w+: /m.test(text),
  clean: (text) => text.replace(/^( +--\w+):(?= )/gm, "$1 VALUE:"),
};
