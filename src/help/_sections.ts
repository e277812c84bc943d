/** Splits a help text into sections of lines below a heading, and replaces tabs by blanks. */

import {
  descriptionColumns,
  isOptionLine,
  isRow,
  type Line,
  splitColumns,
  unfold,
  unpack,
} from "./_columns.ts";
import { depthOf } from "./_option_head.ts";

export interface Section {
  /** The heading without its colon; empty for text above the first heading. */
  readonly title: string;
  readonly lines: readonly Line[];
}

const leader = /(?<=\S)(?: +(?:\.{4,}|-{4,}|(?:\. ){3,}\.?) +| {2,}\.+ {2,})(?=\S)/;

const tabStop = 8;

/** Returns the lines of a help text, without blanks that begin every line, as meow prints them. */
export function linesOf(text: string): Line[] {
  const lines = text.split("\n").map((raw) => {
    const line = withoutOrnaments(expandTabs(raw.trimEnd()));
    return { indent: line.length - line.trimStart().length, text: line.trim() };
  });
  const margin = lines.reduce((least, { indent, text }) => {
    return text === "" ? least : Math.min(least, indent);
  }, Infinity);
  return unpack(unfold(lines.map(({ indent, text }) => {
    return { indent: Math.max(0, indent - margin), text };
  })));
}

/** Removes dots between an option and its description, lines drawn around a heading, and bullets before options. */
function withoutOrnaments(line: string): string {
  return line.replace(leader, (dots) => " ".repeat(dots.length))
    .replace(/^ {0,3}[━─═=-]{2,} (\S.*?) [━─═=-]{2,}$/, "$1:")
    .replace(/^( *)[*•-] (?=--?\w\S* )/, "$1  ");
}

function expandTabs(line: string): string {
  if (!line.includes("\t")) return line;
  let out = "";
  for (const character of line) {
    // A tab separates two columns, so it becomes at least two blanks
    out += character === "\t" ? " ".repeat(Math.max(2, tabStop - out.length % tabStop)) : character;
  }
  return out;
}

const usageLine =
  /^(?:[Uu]sage(?: summary)?|USAGE|[Ss]ynopsis|SYNOPSIS|[Ss]yntax|SYNTAX)(?:\s*:\s*|(?<=E)\s+(?=\S))(.*)$/;

export function sectionsOf(lines: readonly Line[]): Section[] {
  const sections: { title: string; lines: Line[] }[] = [{ title: "", lines: [] }];
  for (const [index, line] of lines.entries()) {
    const isFirst = line.indent < 6 && !sections.some(({ title }) => title === "usage");
    const usage = line.indent < 2 || isFirst ? usageLine.exec(line.text) : null;
    if (usage !== null) {
      if (sections.at(-1)!.title !== "usage") sections.push({ title: "usage", lines: [] });
      if (usage[1] !== "") sections.at(-1)!.lines.push({ indent: 1, text: usage[1]! });
    } else if (isCommandAtMargin(lines, index, sections.at(-1)!.title)) {
      sections.at(-1)!.lines.push({ indent: 2, text: line.text });
    } else if (isHeading(lines, index)) {
      const title = line.text.replace(/\s*:$/, "");
      sections.push({ title: /^usage$/i.test(title) ? "usage" : title, lines: [] });
    } else {
      sections.at(-1)!.lines.push(line);
    }
  }
  return sections.flatMap((section) => section.title === "usage" ? splitUsage(section) : [section]);
}

function splitUsage({ title, lines }: Section): Section[] {
  const first = lines.findIndex(({ text }) => text !== "");
  let depth = 0;
  const end = lines.findIndex((line, index) => {
    const isEnd = index > first && (line.text === "" || depth <= 0) &&
      endsUsage(line, `${lines[first]!.text.split(" ")[0]} `);
    depth += line.text.split("[").length - line.text.split("]").length;
    return isEnd;
  });
  if (end === -1) return [{ title, lines }];
  return [{ title, lines: lines.slice(0, end) }, ...sectionsOf(lines.slice(end))];
}

function endsUsage(line: Line, program: string): boolean {
  if (line.text === "" || isOptionLine(line) || isSentence(line.text)) return true;
  const isForm = /^or:?\s|[[<{]|^[.)\]}]/i.test(line.text) ||
    line.text.startsWith(program) && /^\S+(?: [\w-]+){1,3}$/.test(line.text);
  return line.indent === 0 && !isForm || /^-{3,} /.test(line.text);
}

function isCommandAtMargin(lines: readonly Line[], index: number, title: string): boolean {
  const { indent, text } = lines[index]!;
  const next = lines[index + 1];
  return /^(?:sub)?commands$/i.test(title) && indent === 0 && next !== undefined &&
    (/^[a-z][\w-]* {2,}\S/.test(text) ||
      next.indent > 2 && /^[a-z][\w-]*(?: [\w<[-].*)?$/.test(text) && !isOptionLine(next));
}

function isSentence(text: string, least = 3): boolean {
  const outside = text.replace(/\[[^\]]*\]|<[^>]*>|\{[^}]*\}|\([^)]*\)/g, " ").split(/\s+/);
  const words = outside.filter((word) => /^[A-Za-z][a-z']*[.,;:]?$/.test(word));
  return words.length >= least && /^[A-Z][a-z']+ /.test(text);
}

/** Returns whether a line is a heading: not indented, no option, and followed by an option or an indented line. */
function isHeading(lines: readonly Line[], index: number): boolean {
  const { indent, text } = lines[index]!;
  if (text === "" || text.startsWith("-") || /^[$#>|[(<]/.test(text)) return false;
  const shouts = /^[A-Z][A-Z /&-]+:?$/.test(text);
  // GNU's argp indents headings by one column, so a heading may have that indent
  if (indent > (shouts || text.endsWith(":") ? 1 : 0)) return false;
  const next = lines.slice(index + 1, index + 3).find((line) => line.text !== "");
  if (next === undefined) return false;
  const isOuter = /commands:$/i.test(text) &&
    (next.text.endsWith(":") || isCommandAtMargin(lines, lines.indexOf(next), "commands"));
  const opens = next.indent > indent || isOptionLine(next) || isOuter;
  if (!opens) return false;
  if (shouts || text.endsWith(":")) return true;
  const isTitle = !/[.,;]$|\s[[<{]/.test(text) &&
    (!isSentence(text, 6) || /\b(?:options|flags|arguments|commands)\b/i.test(text));
  return (index === 0 || lines[index - 1]!.text === "") && isTitle ||
    /^options?\b/i.test(text);
}

export interface Entry {
  readonly head: string;
  readonly paragraphs: readonly string[];
  readonly section: string;
  readonly lines: readonly Line[];
  readonly isFlush: boolean;
}

type Draft = ReturnType<typeof open>;

const longNameShift = 6;

export function optionEntries({ title, lines }: Section): Entry[] {
  const drafts: Draft[] = [];
  let current: Draft | undefined;
  let column: number | undefined;
  const columns = descriptionColumns(lines);
  for (const [index, line] of lines.entries()) {
    const isProse = current === undefined && continuesProse(line, lines[index - 1]);
    if (current !== undefined && isWithinBracket(line, current)) {
      const [cell, rest] = splitColumns(line, columns);
      // A value in brackets may be broken at the end of a line in the middle of a word, which is joined without a blank
      current.head += /[|,]$/.test(current.head) || /^[|,]/.test(cell) ? ` ${cell}` : cell;
      if (rest !== "") current.lines.push({ indent: current.column ?? line.indent, text: rest });
    } else if (current?.lines.length === 0 && isOptionLine(line) && current.head.endsWith(",")) {
      const { head, lines: text, column: at } = open(line, columns);
      current.head += ` ${head}`;
      current.column = at;
      current.lines.push(...text);
    } else if (isOptionLine(line) && !isProse && beginsEntry(line, current, column)) {
      const before: Draft | undefined = current;
      current = open(line, columns);
      current.nameColumn ??= before?.nameColumn;
      column = current.column ?? column;
      drafts.push(current);
    } else if (current !== undefined && (line.text === "" || line.indent > current.indent)) {
      if (line.text !== "") current.column ??= line.indent;
      current.lines.push(line);
    } else if (current !== undefined && isBelow(line, current)) {
      current.isFlush = true;
      current.lines.push(line);
    } else {
      current = undefined;
    }
    current?.source.push(line);
  }
  return drafts.map((draft) => close(draft, title));
}

function isWithinBracket(line: Line, { head, indent, column }: Draft): boolean {
  const isInside = line.indent >= indent && line.indent < (column ?? 999) && head.length < 999;
  if (!isInside || depthOf(head) < 1) return false;
  const [cell] = splitColumns(line, noColumns);
  return /[|,\]>}]$/.test(cell) && /[|,]/.test(head.slice(-1) + cell);
}

function isBelow(line: Line, { indent, lines, isFlush }: Draft): boolean {
  return line.indent === indent && !isOptionLine(line) && (isFlush || lines.length === 0);
}

export function continuesProse(line: Line, before: Line | undefined): boolean {
  return before !== undefined && before.indent === line.indent && before.text !== "" &&
    !isRow(before) && !/\S\s{3,}\S/.test(before.text) &&
    (!isOptionLine(before) || /^--?[\w-]+, --?[\w-]+, --/.test(before.text)) &&
    /[a-z,]$/.test(before.text);
}

function beginsEntry(line: Line, current: Draft | undefined, column: number | undefined): boolean {
  if (current === undefined) return true;
  const last = current.lines.at(-1);
  if (line.indent === current.nameColumn) return true;
  if (current.column === undefined) {
    return line.indent <= current.indent + longNameShift && line.indent < (column ?? Infinity);
  }
  if (line.indent < current.column) return true;
  return line.indent === current.indent && last?.text === "";
}

function open(line: Line, columns: ReadonlySet<number>) {
  const { indent } = line;
  const [head, rest, column] = splitColumns(line, columns);
  const second = /\s{2,}(?=--[A-Za-z])/.exec(head);
  return {
    head: head.includes("  ")
      ? head.replace(/,?\s{2,}(?=-{1,2}[A-Za-z])/g, ", ").replace(/\s{2,}/g, " ")
      : head,
    indent,
    nameColumn: second === null ? undefined : indent + second.index + second[0].length,
    column: rest === "" ? undefined : indent + column,
    lines: rest === "" ? [] : [{ indent: indent + column, text: rest }],
    source: [] as Line[],
    isFlush: false as boolean,
  };
}

function close({ head, lines, source, isFlush }: Draft, section: string): Entry {
  return { head, section, paragraphs: paragraphsOf(lines), lines: source, isFlush };
}

/** No line is joined to a paragraph with more characters than this, as joining long ones would take quadratic time. */
const maxParagraph = 4_000;

/** Joins lines to paragraphs, and words and lists that were broken at the end of a line. */
export function paragraphsOf(lines: readonly Line[]): string[] {
  const paragraphs: string[] = [];
  for (const [index, { text }] of lines.entries()) {
    if (text === "") continue;
    const before = paragraphs.at(-1) ?? "";
    if (!lines[index - 1]?.text || before.length > maxParagraph || /^(?:[-*•] |\[)/.test(text)) {
      paragraphs.push(text);
      continue;
    }
    const isWrapped = /[a-z]-$/.test(before) && /^[a-z]/.test(text) ||
      /\|[\w-]*$/.test(before) && /^[\w-]*[|>]/.test(text) ||
      /\[choices: (?:"[^"]*", )*"[\w.+-]*$/.test(before) && /^[\w.+-]*"/.test(text);
    paragraphs[paragraphs.length - 1] = before + (isWrapped ? "" : " ") + text;
  }
  return paragraphs;
}

/** Matches a row with a dash or a colon between a command and its description: `list - list packages`. */
const markedRow =
  /^([a-z][\w:.-]*(?:, [a-z][\w:.-]*)*(?: (?:[<[]\S*|[A-Z]+))*)(?: +(?:--?|–|—|=)|:| +:) +(?=\S)/;

const noColumns: ReadonlySet<number> = new Set();

export function entriesOfSection(section: Section): Entry[] {
  const first = section.lines.find((line) => line.text !== "" && line.indent > 0);
  if (first === undefined) return [];
  const columnOf = ({ indent, text }: Line) =>
    indent + (/^\S+ {2,}(?=\S)/.exec(text)?.[0].length ?? NaN);
  const column = columnOf(first);
  let category: number | undefined;
  return rowsOf(section, (line, next) => {
    if (isOptionLine(line)) return false;
    const isTitle = line.indent === first.indent && isCategory(line, next);
    if (isTitle) category = Infinity;
    else if (line.indent === first.indent) category = undefined;
    else if (category === Infinity) category = line.indent;
    return !isTitle && line.indent === first.indent || line.indent === category ||
      columnOf(line) === column;
  });
}

function isCategory({ indent, text }: Line, next: Line | undefined): boolean {
  return /^[A-Z][\w -]*:$/.test(text) ||
    /^(?:[a-z][\w -]*:|[A-Z_]+|<[\w -]+>|\{\S+\})(?: {2,}\S.*)?$/.test(text) &&
      next !== undefined &&
      next.indent > indent && /^[a-z][\w.-]*(?:, [a-z][\w.-]*)* {2,}\S/.test(next.text);
}

/** Returns the rows of a section that explain a placeholder: `<file>  The file to read`. */
export function entriesOfPlaceholders(section: Section): Entry[] {
  return rowsOf(section, ({ text }) => /^<[^<>]+>(?: {2,}|$)/.test(text));
}

function rowsOf(
  { title, lines }: Section,
  begins: (line: Line, next: Line | undefined) => boolean,
): Entry[] {
  const drafts: Draft[] = [];
  let current: Draft | undefined;
  for (const [index, line] of lines.entries()) {
    if (line.text !== "" && begins(line, lines[index + 1])) {
      current = open({ ...line, text: line.text.replace(markedRow, "$1  ") }, noColumns);
      drafts.push(current);
    } else if (current !== undefined && (line.text === "" || line.indent > current.indent)) {
      current.lines.push(line);
    } else {
      current = undefined;
    }
    current?.source.push(line);
  }
  return drafts.map((draft) => close(draft, title));
}
