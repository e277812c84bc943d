/** Python's click, and typer on top of it, which draws boxes. */

import type { Layout } from "./_layout.ts";
import { readOptionHead } from "./_option_head.ts";
import { typesOf } from "./_value.ts";

const typeWords = typesOf({
  string: "TEXT PATH FILE FILENAME DIRECTORY UUID DATETIME BOOLEAN str",
  integer: "INTEGER int",
  number: "FLOAT float",
});

export const click: Layout = {
  name: "click",
  recognises(text) {
    return /^Usage: .*\[OPTIONS\]/m.test(text) &&
        /--help\s+Show this message and exit\.|^ {2}-.* (?:TEXT|INTEGER|BOOLEAN)(?: |$)/m.test(
          text,
        ) ||
      /^╭─ (?:Options|Commands|Arguments)/m.test(text);
  },
  clean: withoutBoxes,
  typeWords,
  readHead(head) {
    // Rich tables have a type for switches, too
    const range = head.replace(/ <bool>$/, "").replace(/ (INTEGER|FLOAT) RANGE\b/, " $1").replace(
      /^\* +/,
      "",
    );
    // `--check / --no-check`: two names of one switch
    const [on, off] = range.split(/\s+\/\s+/);
    const read = readOptionHead(on!);
    if (read === undefined || off === undefined) return read;
    const negative = readOptionHead(off);
    const names = negative === undefined ? [] : [...negative.names];
    return { ...read, negations: [...read.negations, ...names] };
  },
};

/** `╭─ Options ──╮` becomes a heading, and the rows lose their frame. */
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
      const row = /^\s*│(.*)│\s*$/.exec(line)?.[1];
      rows.push(row === undefined ? line.replace(/^ (?=Usage: )/, "") : columnsOf(row));
    }
  }
  return rows.join("\n");
}

/** A row of the table: mark, long name, short name, type, description. */
function columnsOf(row: string): string {
  const cells =
    /^ (\*)? +(-{1,2}[\w-]+(?:\s*,?\s*-{1,2}[\w-]+)*)(?:\s+(-\w))?(?:\s+(\[[^\]]+\]|<[^>]+>|[A-Z][A-Z_]*(?: RANGE)?))?(?:\s{2,}(.*))?$/
      .exec(row.trimEnd());
  if (cells === null) return row.replace(/^ (?=\S)/, "  ").replace(/^ \*(?= )/, "  ");
  const [, mark, names, short, type, description] = cells;
  const head = [names!.replace(/\s+(?=-)/g, ", "), ...(short === undefined ? [] : [short])].join(
    ", ",
  );
  const required = mark === undefined ? "" : " [required]";
  return `  ${head}${type === undefined ? "" : ` ${type}`}  ${description ?? ""}${required}`;
}
