/** Reads the subcommands that a help lists. */

import type { Line } from "./_columns.ts";
import { entriesOfSection, type Section } from "./_sections.ts";
import type { SubcommandHelp } from "./command_help.ts";

interface Found {
  readonly subcommands: readonly SubcommandHelp[];
  /** Names of commands about the program itself, which an agent does not need. */
  readonly dropped: readonly string[];
}

/** Returns the commands that `sections` list, each once. `isExpected` when the usage has a place for one. */
export function subcommandsOf(
  sections: readonly Section[],
  { words, isExpected }: { readonly words: readonly string[]; readonly isExpected: () => boolean },
): Found {
  const titled = sections.filter(({ title }) =>
    !otherTables.test(title) && commandTitle.test(title)
  );
  // Commands may be grouped under titles of the program's own
  const groups = titled.length === 0 && !isExpected()
    ? []
    : sections.filter((section) => titled.includes(section) || isCommandTable(section));
  const found = readSubcommands(groups, words);
  const rows = fromProgramRows(sections, words);
  if (rows.length > found.subcommands.length) return { ...found, subcommands: rows };
  if (found.subcommands.length > 0 || groups.length === 0 && !isExpected()) return found;
  return { ...found, subcommands: fromTitledLine(sections) };
}

const otherTables = /option|flag|usage|example|environment|help topics|learn more/i;

/** Matches a title of commands; those of argparse may be below the argument that takes one of them. */
const commandTitle =
  /^positional arguments$|^[^.]*\b(?:sub-?)?(?:commands?|topics|groups)\b[^.]*$/i;

/** Returns whether a titled section has rows of names and descriptions only. */
function isCommandTable({ title, lines }: Section): boolean {
  const full = lines.filter(({ text }) => text !== "");
  const rows = full.filter(({ indent }) => indent === full[0]!.indent);
  return title !== "" && !otherTables.test(title) &&
    !/^name$|argument|parameter|variable/i.test(title) &&
    rows.length > 0 && full[0]!.indent > 0 &&
    rows.every(({ text }) =>
      /^[a-z][\w:.-]*(?:, [a-z][\w:.-]*)*(?: [[<A-Z]\S*)*(?: {2,}| +--? )\S/.test(text)
    );
}

/** Matches a row of another name of a command. */
export const isAlias = / {2}alias(?: for|:) /i;

const commandName = /^[a-z0-9][\w:.+-]*$/i;

function readSubcommands(
  sections: readonly Section[],
  words: readonly string[],
): Found {
  const found = new Map<string, SubcommandHelp>();
  const dropped = new Set<string>();
  for (const section of sections) {
    for (const row of [...fromCommaList(section), ...fromTable(unnest(section), words)]) {
      const isVersion = row.name === "version" &&
        /^\w+ (?:the )?version(?: \w+)?\.?$/i.test(row.description);
      if (isAlias.test(`  ${row.description}`)) continue;
      if (isVersion || metaCommand.test(row.name)) dropped.add(row.name);
      else found.getOrInsert(row.name, row);
    }
  }
  return { subcommands: [...found.values()], dropped: [...dropped] };
}

/** Matches a command about the program itself, which an agent does not need. */
const metaCommand = /^(?:help|completions?|autocomplete|shell-completion|__.*)$/;

/** Returns the rows below an argument that stands for all commands, `{add,remove}`, as argparse prints them. */
function unnest({ title, lines }: Section): Section {
  const isPositional = /^positional/i.test(title);
  const at = lines.findIndex(({ indent, text }, index) => {
    const next = lines[index + 1];
    // Rows are near their argument; descriptions have a column of their own
    return text.startsWith("{") || isPositional && next !== undefined && next.indent > indent &&
        next.indent <= indent + 4 && /^[a-z][\w.-]*(?:(?: \S+)? {2,}\S|$)/.test(next.text);
  });
  if (at === -1) return { title, lines: isPositional ? [] : lines };
  const inner = lines.slice(at + 1).filter(({ indent, text }) =>
    text === "" || indent > lines[at]!.indent
  );
  const row = Math.min(...inner.filter(({ text }) => text !== "").map(({ indent }) => indent));
  // A text of the argument itself is in the column of descriptions
  return { title, lines: inner.slice(inner.findIndex(({ indent }) => indent === row)) };
}

/** Returns the commands in rows that begin with the program, under any heading or none. */
function fromProgramRows(sections: readonly Section[], words: readonly string[]): SubcommandHelp[] {
  const row = new RegExp(
    `^${
      RegExp.escape(words.join(" "))
    } ([a-z][\\w.:-]*(?: [a-z][\\w.:-]*)*)((?: [[<A-Z]\\S*)*) {2,}(\\S.*)$`,
  );
  const rows = sections.filter(({ title }) => title === "" || !otherTables.test(title))
    .flatMap(({ lines }) => lines).map(({ text }) => row.exec(text)).filter((each) => each !== null)
    .map(([, name, usage, description]) => ({
      name: name!,
      usage: usage!.trim(),
      description: description!,
    }))
    .filter(({ name }) => !/^help\b/.test(name));
  return rows.length < minProgramRows ? [] : rows;
}

/** Returns the commands behind a title on its own line, `Available commands: hay, oats`. */
function fromTitledLine(sections: readonly Section[]): SubcommandHelp[] {
  const lines = sections.flatMap(({ lines }) => lines).map(({ text }) =>
    titledLine.exec(text)?.[1]
  );
  return (lines.find((each) => each !== undefined)?.split(/[\s,]+/) ?? [])
    .map((name) => ({ name, description: "", usage: "" }));
}

const titledLine =
  /^(?:(?:available|valid|supported) )?(?:sub-?)?commands(?: are)?: +((?:[a-z][\w-]*,? +)+[a-z][\w-]*)$/i;

/** Fewer rows that begin with the program are examples. */
const minProgramRows = 4;

function fromTable(section: Section, words: readonly string[]): SubcommandHelp[] {
  if (isCommaList(section) || section.lines.length === 0) return [];
  const titles = new Set(section.lines.map(({ text }) => text));
  // yargs prints the program in front of a command
  const fronts = [words, words.slice(1), words.slice(0, 1)].map((each) => `${each.join(" ")} `)
    .filter((each) => each !== " ");
  return entriesOfSection(section).flatMap(({ head, paragraphs, lines }): SubcommandHelp[] => {
    const row = head.replace(/^[-*•] /, "");
    const front = fronts.find((each) => row.startsWith(each)) ?? "";
    const [typed, overrun] = splitOverrun(row.slice(front.length));
    const [start, ...others] = typed.split(/\s+/);
    // `cache clear` below the title `cache`
    const isNested = titles.has(start!) && /^[a-z][\w-]*$/.test(others[0] ?? "");
    const [first, ...rest] = isNested
      ? [`${start} ${others[0]}`, ...others.slice(1)]
      : [start, ...others];
    const name = first!.replace(/\|.*|[:*,]+$/, "");
    // A sentence is not a command; its arguments or its aliases may follow a name
    const isRow = commandName.test(isNested ? others[0]! : name) && !/^[A-Z].*:$/.test(typed) &&
      !/^(?:The|Use|Run|See|This|For)$/.test(name) &&
      (paragraphs.length > 0 || overrun !== "" || rest.every(isMarked)) && rest.every(isArgument);
    if (!isRow) return [];
    if (isNest(lines.slice(1))) {
      return fromTable({ title: section.title, lines: lines.slice(1) }, words)
        .map((row) => ({ ...row, name: `${name} ${row.name}` }));
    }
    const description = `${overrun} ${paragraphs[0] ?? ""}`.replace(/\s+/g, " ").trim();
    return [{
      name,
      description,
      usage: rest.filter((word) => !/^[\w-]+,?$/.test(word) || /^[A-Z_]+$/.test(word)).join(" "),
    }];
  });
}

/** Returns whether lines below a command are its own commands, with their arguments, as kingpin nests them. */
function isNest(lines: readonly Line[]): boolean {
  const texts = lines.map(({ text }) => text).filter((text) => text !== "");
  return texts.length > 0 && texts.some((text) => /[*[<{=]/.test(text)) &&
    texts.every((text) =>
      /^[a-z][\w-]*\*?(?: (?:[[<{]\S*[\]>}]\.*|--?[\w.-]+=\S+|[A-Z_]+))*$/.test(text)
    );
}

/** Splits a head that is too long for its column, with one space between it and its description. */
function splitOverrun(head: string): [typed: string, description: string] {
  const match =
    /^(?=\S+ (?:[[<{(|]|[A-Z][A-Z_=]))([a-z][\w-]*(?: [A-Z][A-Z_=]+(?:\.\.\.)?)*(?: [[<{(|].*[\]>})|](?:\.\.\.)?)?(?: [A-Z][A-Z_=]+(?:\.\.\.)?)*) ([A-Z][a-z]+ .*)$/
      .exec(
        head,
      );
  return match === null ? [head, ""] : [match[1]!, match[2]!];
}

function isArgument(word: string): boolean {
  return /^[<[({|]|^--?[\w.-]+=|[>\])}]$|^[A-Z_.=|-]+\.*$|^[\w-]+(?:\.{3}|,)?$/.test(word);
}

function isMarked(word: string): boolean {
  return /^(?:\[*<|\[[a-zA-Z]|--?[\w.-]+=|[A-Z_]{2,}\.*\]*$)/.test(word);
}

/** Returns whether a section lists commands as words between commas, as npm does. */
function isCommaList({ lines }: Section): boolean {
  const full = lines.filter(({ text }) => text !== "");
  return full.length > 0 && full.slice(0, -1).every(({ text }) => text.endsWith(",")) &&
    full[0]!.text.split(",").length > 3;
}

function fromCommaList(section: Section): SubcommandHelp[] {
  if (!isCommaList(section)) return [];
  return section.lines.flatMap(({ text }) => text.split(",").map((word) => word.trim()))
    .filter((name) => commandName.test(name))
    .map((name) => ({ name, description: "", usage: "" }));
}
