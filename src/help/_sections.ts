/** A help text as lines under headings, tabs taken out. */

/** A line and how far it is indented, in columns. */
export interface Line {
  readonly indent: number;
  /** Without white space at either end; empty for a blank line. */
  readonly text: string;
}

/** Lines under one heading. */
export interface Section {
  /** Without its colon; empty for what stands before the first. */
  readonly title: string;
  readonly lines: readonly Line[];
}

/** Columns between two tab stops. */
const tabStop = 8;

/** Characters of a line that are read: some of what reads them takes their square. */
const maxLine = 4_000;

/** The lines of `text`. */
export function linesOf(text: string): Line[] {
  return text.split("\n").map((raw) => {
    const line = expandTabs(raw.slice(0, maxLine).trimEnd());
    const trimmed = line.trim();
    return { indent: line.length - line.trimStart().length, text: trimmed };
  });
}

function expandTabs(line: string): string {
  if (!line.includes("\t")) return line;
  let out = "";
  for (const character of line) {
    // At least two columns: a tab parts what stands on either side of it
    out += character === "\t" ? " ".repeat(Math.max(2, tabStop - out.length % tabStop)) : character;
  }
  return out;
}

const usageLine = /^(?:usage|synopsis)\s*:\s*(.*)$/i;

/** Cuts lines at their headings. */
export function sectionsOf(lines: readonly Line[]): Section[] {
  const sections: { title: string; lines: Line[] }[] = [{ title: "", lines: [] }];
  for (const [index, line] of lines.entries()) {
    const usage = line.indent < 2 ? usageLine.exec(line.text) : null;
    if (usage !== null) {
      const rest = usage[1]!;
      // What is continued stands deeper than what it continues
      sections.push({ title: "usage", lines: rest === "" ? [] : [{ indent: 1, text: rest }] });
    } else if (isHeading(lines, index)) {
      sections.push({ title: line.text.replace(/\s*:$/, ""), lines: [] });
    } else {
      sections.at(-1)!.lines.push(line);
    }
  }
  return sections.flatMap((section) => section.title === "usage" ? splitUsage(section) : [section]);
}

/** What follows the forms of a usage is another section, also where no heading stands between. */
function splitUsage({ title, lines }: Section): Section[] {
  const first = lines.findIndex(({ text }) => text !== "");
  const end = lines.findIndex((line, index) => index > first && endsUsage(line));
  if (end === -1) return [{ title, lines }];
  return [{ title, lines: lines.slice(0, end) }, ...sectionsOf(lines.slice(end))];
}

function endsUsage(line: Line): boolean {
  if (line.text === "" || isOptionLine(line)) return true;
  const isForm = /^or:?\s/i.test(line.text) || /[[<{]/.test(line.text) ||
    /^[.)\]}]/.test(line.text);
  return line.indent === 0 && !isForm || /^-{3,} /.test(line.text);
}

/** At the margin, not an option, and what follows is deeper or an option. */
function isHeading(lines: readonly Line[], index: number): boolean {
  const { indent, text } = lines[index]!;
  if (text === "" || text.startsWith("-") || /^[$#>|[(<]/.test(text)) return false;
  const shouts = /^[A-Z][A-Z /&-]+:?$/.test(text);
  // GNU's argp puts its headings one column in
  if (indent > (shouts || text.endsWith(":") ? 1 : 0)) return false;
  const next = lines.slice(index + 1, index + 3).find((line) => line.text !== "");
  if (next === undefined) return false;
  const opens = next.indent > indent || isOptionLine(next);
  if (!opens) return false;
  if (shouts || text.endsWith(":")) return true;
  return (index === 0 || lines[index - 1]!.text === "") && !/[.,;]$/.test(text) ||
    /^options?\b/i.test(text);
}

/** Whether an option begins on this line. */
export function isOptionLine({ text }: Line): boolean {
  return /^-{1,2}(?:\[no-?\])?[A-Za-z0-9?#@%:!.<]/.test(text);
}
