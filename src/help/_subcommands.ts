/** Finds the lists of subcommands in a help text, and reads them. */

import type { Line } from "./_columns.ts";
import { entriesOfSection, type Section } from "./_sections.ts";
import type { SubcommandHelp } from "./command_help.ts";

export function subcommandsOf(
  sections: readonly Section[],
  { words, isExpected }: { readonly words: readonly string[]; readonly isExpected: () => boolean },
) {
  const titled = sections.filter(({ title }) =>
    !otherTables.test(title) && commandTitle.test(title)
  );
  // A program may list its commands only under titles of its own, such as "Basic commands" and "Network"
  const groups = titled.length === 0 && !isExpected()
    ? []
    : sections.filter((section) => titled.includes(section) || isCommandTable(section));
  const found = new Map<string, SubcommandHelp>();
  const dropped = new Set<string>();
  for (
    const row of groups.flatMap((each) =>
      isCommaList(each)
        ? commandsIn(each.lines.map(({ text }) => text).join(" "))
        : fromTable(unnest(each), words)
    )
  ) {
    const isVersion = row.name === "version" &&
      /^\w+ (?:the )?version(?: \w+)?\.?$/i.test(row.description);
    if (isAlias.test(`  ${row.description}`)) continue;
    if (isVersion || metaCommand.test(row.name)) dropped.add(row.name);
    else found.getOrInsert(row.name, row);
  }
  const rows = fromProgramRows(sections, words);
  const listed = rows.length > found.size ? rows : [...found.values()];
  const isMissing = listed.length === 0 && (groups.length > 0 || isExpected());
  const lines = isMissing ? sections.flatMap((each) => each.lines) : [];
  const [names = ""] = lines.flatMap(({ text }) => titledLine.exec(text)?.[1] ?? []);
  return { subcommands: [...listed, ...commandsIn(names)], dropped: [...dropped] };
}

/** Matches a line that lists commands behind a title: `Available commands: hay, oats`. */
const titledLine =
  /^(?:(?:available|valid|supported) )?(?:sub-?)?commands(?: are)?: +((?:[a-z][\w-]*,? +)+[a-z][\w-]*)$/i;

const otherTables = /option|flag|usage|example|environment|help topics|learn more/i;

/** Matches titles above lists of commands; argparse lists commands below "positional arguments". */
const commandTitle =
  /^positional arguments$|^[^.]*\b(?:sub-?)?(?:commands?|topics|groups)\b[^.]*$/i;

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

export const isAlias = / {2}alias(?: for|:) /i;

const commandName = /^[a-z0-9][\w:.+-]*$/i;

const metaCommand = /^(?:help|completions?|autocomplete|shell-completion|__.*)$/;

function unnest({ title, lines }: Section): Section {
  const isPositional = /^positional/i.test(title);
  const at = lines.findIndex(({ indent, text }, index) => {
    const next = lines[index + 1];
    return text.startsWith("{") || isPositional && next !== undefined && next.indent > indent &&
        next.indent <= indent + 4 && /^[a-z][\w.-]*(?:(?: \S+)? {2,}\S|$)/.test(next.text);
  });
  if (at === -1) return { title, lines: isPositional ? [] : lines };
  const inner = lines.slice(at + 1).filter(({ indent, text }) =>
    text === "" || indent > lines[at]!.indent
  );
  const row = Math.min(...inner.filter(({ text }) => text !== "").map(({ indent }) => indent));
  return { title, lines: inner.slice(inner.findIndex(({ indent }) => indent === row)) };
}

function fromProgramRows(sections: readonly Section[], words: readonly string[]): SubcommandHelp[] {
  const command = RegExp.escape(words.join(" "));
  const name = "[a-z][\\w.:-]*";
  const row = new RegExp(`^${command} (${name}(?: ${name})*)((?: [[<A-Z]\\S*)*) {2,}(\\S.*)$`);
  const rows = sections.filter(({ title }) => title === "" || !otherTables.test(title))
    .flatMap(({ lines }) => lines).map(({ text }) => row.exec(text)).filter((each) => each !== null)
    .map(([, name = "", usage = "", description = ""]) => {
      return { name, usage: usage.trim(), description };
    })
    .filter(({ name }) => !/^help\b/.test(name));
  return rows.length < minProgramRows ? [] : rows;
}

const minProgramRows = 4;

function fromTable(section: Section, words: readonly string[]): SubcommandHelp[] {
  const titles = new Set(section.lines.map(({ text }) => text));
  const fronts = [words, words.slice(1), words.slice(0, 1)].map((each) => `${each.join(" ")} `)
    .filter((each) => each !== " ");
  return entriesOfSection(section).flatMap(({ head, paragraphs, lines }): SubcommandHelp[] => {
    const row = head.replace(/^[-*•] /, "")
      .replace(/^([a-z][\w-]*) \([a-z?][\w-]*(?:, [a-z][\w-]*)*\)$/, "$1");
    const front = fronts.find((each) => row.startsWith(each)) ?? "";
    const [typed, overrun] = splitOverrun(row.slice(front.length));
    const [start, ...others] = typed.split(/\s+/);
    const isNested = titles.has(start!) && /^[a-z][\w-]*$/.test(others[0] ?? "");
    const [first, ...rest] = isNested
      ? [`${start} ${others[0]}`, ...others.slice(1)]
      : [start, ...others];
    const name = first!.replace(/\|.*|[:*,]+$/, "");
    // In a list of commands, arguments or aliases may follow the name; a row with other words is a sentence
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

function isNest(lines: readonly Line[]): boolean {
  const texts = lines.map(({ text }) => text).filter((text) => text !== "");
  return texts.length > 0 && texts.some((text) => /[*[<{=]/.test(text)) &&
    texts.every((text) =>
      /^[a-z][\w-]*\*?(?: (?:[[<{]\S*[\]>}]\.*|--?[\w.-]+=\S+|[A-Z_]+))*$/.test(text)
    );
}

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

/** Returns whether a section lists commands separated by commas, as npm's help does. */
function isCommaList({ lines }: Section): boolean {
  const full = lines.filter(({ text }) => text !== "");
  return full.length > 0 && full.slice(0, -1).every(({ text }) => text.endsWith(",")) &&
    full[0]!.text.split(",").length > 3;
}

function commandsIn(list: string): SubcommandHelp[] {
  return list.split(/[\s,]+/).filter((name) => commandName.test(name))
    .map((name) => ({ name, description: "", usage: "" }));
}
