/** Reads the commands below a command from the sections of its help. */

import { isMetaCommand, type SubcommandHelp } from "./command_help.ts";
import { namedEntries } from "./_entries.ts";
import type { Section } from "./_sections.ts";

const commandName = /^[a-z0-9][\w:.+-]*$/i;

interface ListingOptions {
  /** The words in front of the commands. */
  readonly words: readonly string[];
  /** True when the commands are below the argument that takes one of them. */
  readonly nested: boolean;
}

/** The commands in `sections`, each once. */
export function readSubcommands(
  sections: readonly Section[],
  { words, nested }: ListingOptions,
): SubcommandHelp[] {
  const found = new Map<string, SubcommandHelp>();
  for (const section of sections) {
    for (
      const subcommand of [
        ...fromCommaList(section),
        ...fromTable(nested ? unnested(section) : section, words),
      ]
    ) {
      if (isMetaCommand(subcommand.name) || found.has(subcommand.name)) continue;
      found.set(subcommand.name, subcommand);
    }
  }
  return [...found.values()];
}

/** The rows below the rows. */
function unnested({ title, lines }: Section): Section {
  const indents = lines.filter(({ text }) => text !== "").map(({ indent }) => indent);
  const first = Math.min(...indents);
  const second = Math.min(...indents.filter((indent) => indent > first));
  // Rows are near their argument; descriptions have a column of their own
  if (second > first + 4) return { title, lines: /^positional/i.test(title) ? [] : lines };
  return { title, lines: lines.filter(({ indent }) => indent > first) };
}

function fromTable(section: Section, words: readonly string[]): SubcommandHelp[] {
  if (isCommaList(section) || section.lines.length === 0) return [];
  return namedEntries(section).flatMap(({ head, paragraphs }): SubcommandHelp[] => {
    const [typed, overrun] = splitOverrun(withoutWords(head, words));
    const [first, ...rest] = typed.split(/\s+/);
    const name = first!.replace(/[:*,]+$/, "");
    // A sentence is not a command; its arguments or its aliases may follow a name
    const isRow = commandName.test(name) && !/^[A-Z].*:$/.test(typed) &&
      !/^(?:The|Use|Run|See|This|For)$/.test(name) &&
      (paragraphs.length > 0 || overrun !== "" || rest.length === 0) && rest.every(isArgument);
    if (!isRow) return [];
    const description = `${overrun} ${paragraphs[0] ?? ""}`.replace(/\s+/g, " ").trim();
    return [{
      name,
      description,
      usage: rest.filter((word) => !/^[\w-]+,?$/.test(word) || /^[A-Z_]+$/.test(word)).join(" "),
    }];
  });
}

/** A head that is too long for its column has one space between it and its description. */
function splitOverrun(head: string): [typed: string, description: string] {
  const match =
    /^([a-z][\w-]*(?: (?:[[<{(|].*[\]>})|]|[A-Z][A-Z_=]+)(?:\.\.\.)?)+) ([A-Z][a-z]+ .*)$/.exec(
      head,
    );
  return match === null ? [head, ""] : [match[1]!, match[2]!];
}

function isArgument(word: string): boolean {
  return /^[<[({|]|[>\])}]$|^[A-Z_.=|-]+\.*$|^[\w-]+,?$/.test(word);
}

/** yargs prints each command with the program in front of it. */
function withoutWords(head: string, words: readonly string[]): string {
  const forms = [words, words.slice(1), words.slice(0, 1)].map((each) => `${each.join(" ")} `);
  const form = forms.find((each) => each !== " " && head.startsWith(each));
  return form === undefined ? head : head.slice(form.length);
}

/** npm lists its commands as words between commas. */
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
