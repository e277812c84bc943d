/** Splits a help text into lines under headings, with tabs expanded. */

/** A line and its indentation in columns. */
export interface Line {
  readonly indent: number;
  /** Without white space at either end; empty for a blank line. */
  readonly text: string;
}

/** Lines under one heading. */
export interface Section {
  /** Without its colon; empty for text above the first heading. */
  readonly title: string;
  readonly lines: readonly Line[];
}

/** Columns between two tab stops. */
const tabStop = 8;

/** Longest line that is read: some readers take the square of its length. */
const maxLine = 4_000;

/** The lines of `text`; columns that every line leaves empty, as meow's do, are not counted. */
export function linesOf(text: string): Line[] {
  const lines = text.split("\n").map((raw) => {
    const line = expandTabs(raw.slice(0, maxLine).trimEnd());
    const trimmed = line.trim();
    return { indent: line.length - line.trimStart().length, text: trimmed };
  });
  const margin = lines.reduce((least, { indent, text }) => {
    return text === "" ? least : Math.min(least, indent);
  }, Infinity);
  return lines.map(({ indent, text }) => ({ indent: text === "" ? 0 : indent - margin, text }));
}

function expandTabs(line: string): string {
  if (!line.includes("\t")) return line;
  let out = "";
  for (const character of line) {
    // At least two columns: a tab separates the texts on both sides
    out += character === "\t" ? " ".repeat(Math.max(2, tabStop - out.length % tabStop)) : character;
  }
  return out;
}

const usageLine = /^(?:usage|synopsis)\s*:\s*(.*)$/i;

export function sectionsOf(lines: readonly Line[]): Section[] {
  const sections: { title: string; lines: Line[] }[] = [{ title: "", lines: [] }];
  for (const [index, line] of lines.entries()) {
    const usage = line.indent < 2 ? usageLine.exec(line.text) : null;
    if (usage !== null) {
      const rest = usage[1]!;
      // A continued line is indented more
      sections.push({ title: "usage", lines: rest === "" ? [] : [{ indent: 1, text: rest }] });
    } else if (isHeading(lines, index)) {
      const title = line.text.replace(/\s*:$/, "");
      sections.push({ title: /^usage$/i.test(title) ? "usage" : title, lines: [] });
    } else {
      sections.at(-1)!.lines.push(line);
    }
  }
  return sections.flatMap((section) => section.title === "usage" ? splitUsage(section) : [section]);
}

/** The text behind the forms of a usage is another section, even without a heading. */
function splitUsage({ title, lines }: Section): Section[] {
  const first = lines.findIndex(({ text }) => text !== "");
  let depth = 0;
  const end = lines.findIndex((line, index) => {
    // A line that begins within brackets continues the form
    const isEnd = index > first && (line.text === "" || depth <= 0) && endsUsage(line);
    depth += line.text.split("[").length - line.text.split("]").length;
    return isEnd;
  });
  if (end === -1) return [{ title, lines }];
  return [{ title, lines: lines.slice(0, end) }, ...sectionsOf(lines.slice(end))];
}

function endsUsage(line: Line): boolean {
  if (line.text === "" || isOptionLine(line)) return true;
  const isForm = /^or:?\s/i.test(line.text) || /[[<{]/.test(line.text) ||
    /^[.)\]}]/.test(line.text);
  return line.indent === 0 && !isForm || /^-{3,} /.test(line.text);
}

/** At the margin, not an option, and followed by an option or an indented line. */
function isHeading(lines: readonly Line[], index: number): boolean {
  const { indent, text } = lines[index]!;
  if (text === "" || text.startsWith("-") || /^[$#>|[(<]/.test(text)) return false;
  const shouts = /^[A-Z][A-Z /&-]+:?$/.test(text);
  // GNU's argp indents its headings by one column
  if (indent > (shouts || text.endsWith(":") ? 1 : 0)) return false;
  const next = lines.slice(index + 1, index + 3).find((line) => line.text !== "");
  if (next === undefined) return false;
  const opens = next.indent > indent || isOptionLine(next);
  if (!opens) return false;
  if (shouts || text.endsWith(":")) return true;
  return (index === 0 || lines[index - 1]!.text === "") && !/[.,;]$/.test(text) ||
    /^options?\b/i.test(text);
}

export function isOptionLine({ text }: Line): boolean {
  return /^-{1,2}(?:\[no-?\])?[A-Za-z0-9?#@%:!.<]/.test(text);
}
