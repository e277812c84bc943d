/** Reads a help in any layout. A layout has hooks for what differs in it. */

import { wholeSentences } from "../text/sentence.ts";
import { type HelpAnnotations, readAnnotations } from "./_annotations.ts";
import {
  entriesOfSection,
  type Entry,
  isOptionLine,
  type Line,
  linesOf,
  optionEntries,
  paragraphsOf,
  type Section,
  sectionsOf,
} from "./_sections.ts";
import { type OptionHead, readOptionHead } from "./_option_head.ts";
import { findLostPositionals, positionalsOf, type TypeWords, valueOf } from "./_positionals.ts";
import { formsOf, optionsIn, readUsages, type Usage } from "./_usage.ts";
import { type CommandHelp, type OptionHelp, type SubcommandHelp } from "./command_help.ts";

export interface Layout {
  readonly name: string;
  /** True when a text, lines at the margin trimmed, has this layout. */
  recognises(text: string): boolean;
  readonly clean?: (text: string) => string;
  readonly typeWords?: TypeWords;
  /** Reads the head of an option that is not `--name <VALUE>`. */
  readonly readHead?: (head: string) => OptionHead | undefined;
  /** Changes an option by its description in this layout. */
  readonly refine?: (option: OptionHelp, annotations: HelpAnnotations, entry: Entry) => OptionHelp;
  /** True when a section lists subcommands although its title does not say so. */
  readonly listsCommands?: (section: Section) => boolean;
  /** True when commands are below the argument that takes one of them. */
  readonly nestsCommands?: boolean;
  /** True when words without brackets in a usage line are subcommands. */
  readonly namesCommandsInUsage?: boolean;
  /** True when lower-case words of a usage line are arguments. */
  readonly lowerCaseArguments?: boolean;
}

/** Sections with these titles only mention options. */
const mentions = /example|learn more|see also|environment|exit (?:status|code)|aliases|^synopsis$/i;

const interactiveAlone =
  /\b(?:without|no) (?:any )?arguments?\b[^.\n]{0,60}\binteractive|\binteractive\b[^.\n]{0,60}\b(?:without|no) (?:any )?arguments?\b/i;

/** `words` are those in front of the options: program and subcommands, as they were called. */
export function readAs(layout: Layout, text: string, words: readonly string[]): CommandHelp {
  const sections = sectionsOf(linesOf(layout.clean?.(text) ?? text));
  const forms = usageLines(sections, words);
  const listed = subcommandsOf(sections, layout, words);
  const entries = sections.filter(({ title }) => title !== "usage" && !mentions.test(title))
    .flatMap(optionEntries);
  const readHead = layout.readHead ?? readOptionHead;
  const rows = entries.map((entry) => ({ entry, head: readHead(entry.head) }));
  const heads = rows.length > 0 ? rows : usageOptions(forms, words);
  const switches = heads.flatMap(({ head }) => head?.value === undefined ? head?.names ?? [] : []);
  const usage = readUsages(forms, {
    words,
    switches: new Set(switches),
    lowerCase: layout.lowerCaseArguments ?? false,
    hasSubcommands: listed.length > 0,
  });
  const subcommands = layout.namesCommandsInUsage
    ? [...listed, ...usage.literals.map((name) => ({ name, description: "", usage: "" }))]
    : listed;
  const options: OptionHelp[] = [];
  const unread: string[] = [];
  for (const { entry, head } of heads) {
    if (head === undefined) {
      unread.push(entry.head);
      continue;
    }
    const option = optionOf({ entry, head }, layout, usage);
    const isKnown = options.some(({ names }) => names.some((name) => option.names.includes(name)));
    if (!isKnown) options.push(option);
  }
  // A row that seems to mention options may define one all the same
  const passed = sections.filter(({ title }) => mentions.test(title)).flatMap(optionEntries)
    .filter(({ head, paragraphs }) => paragraphs.length > 0 && isNew(readHead(head), options));
  unread.push(...passed.map(({ head }) => head));
  const positionals = positionalsOf(sections, usage, layout.typeWords);
  return {
    layout: layout.name,
    description: descriptionOf(sections, words),
    options,
    positionals,
    // Next to subcommands, it is a name for them
    lostPositionals: subcommands.length > 0 ? [] : findLostPositionals(sections, positionals),
    subcommands,
    isGroup: subcommands.length > 0 && !usage.standsAlone,
    mentionsInput: /\bstdin\b|\bstandard input\b/i.test(text),
    isInteractiveAlone: interactiveAlone.test(text),
    optionLines: heads.length + passed.length,
    unread,
    lost: [],
    dropped: [],
    optionsFirst: forms.length > 0 && /^[^A-Za-z<{]*\[(?:-|[^\]]*\b(?:option|flag))/i.test(
      formsOf(forms, words)[0] ?? "",
    ),
    acceptsDashes: /^(?:argparse|click|clap|cobra|commander|git)$/.test(layout.name) ||
      /^usage: .*\[OPTION/im.test(text),
    otherUsages: usage.others,
  };
}

function usageOptions(forms: readonly Line[], words: readonly string[]) {
  return forms.length === 0 ? [] : formsOf(forms, words).flatMap(optionsIn).map((head) => ({
    entry: { head: head.names[0], paragraphs: [], section: "" },
    head,
  }));
}

function isNew(head: OptionHead | undefined, options: readonly OptionHelp[]): boolean {
  return head !== undefined &&
    !options.some(({ names }) => names.some((name) => head.names.includes(name)));
}

function usageLines(sections: readonly Section[], words: readonly string[]): readonly Line[] {
  const titled = sections.find(({ title }) => /^(?:usage|synopsis)\b/i.test(title));
  if (titled !== undefined && titled.lines.some(({ text }) => text !== "")) return titled.lines;
  // systemd and yargs print the usage first, without a heading
  const first = sections[0]!.lines.findIndex(({ text }) => text.startsWith(`${words.join(" ")} `));
  return first === -1 ? [] : sections[0]!.lines.slice(first, first + 1);
}

function optionOf(
  { entry, head }: { readonly entry: Entry; readonly head: OptionHead },
  layout: Layout,
  usage: Usage,
): OptionHelp {
  const paragraphs = head.prose === "" ? entry.paragraphs : [
    `${head.prose} ${entry.paragraphs[0] ?? ""}`.trim(),
    ...entry.paragraphs.slice(1),
  ];
  const annotations = readAnnotations(paragraphs);
  const { typeWords = {} } = layout;
  const value = head.value === undefined
    ? undefined
    : valueOf(head.value, annotations, { typeWords, repeated: head.repeated });
  const option: OptionHelp = {
    names: head.names,
    negations: head.negations,
    ...(value === undefined ? {} : { value }),
    required: annotations.required || head.names.some((name) => usage.requiredOptions.has(name)),
    counted: value === undefined && (head.repeated || annotations.repeatable),
    joined: head.joined,
    description: annotations.text,
    section: entry.section,
    inUsage: head.names.some((name) => usage.options.has(name)),
  };
  return layout.refine?.(option, annotations, entry) ?? option;
}

function subcommandsOf(sections: readonly Section[], layout: Layout, words: readonly string[]) {
  const listing = sections.filter((section) => {
    if (/option|flag|usage|example|environment|help topics|learn more/i.test(section.title)) {
      return false;
    }
    if (
      layout.nestsCommands === true &&
      /^(?:positional arguments|subcommands|commands)/i.test(section.title)
    ) return true;
    return /\b(?:sub-?)?(?:commands?|topics|groups)\b/i.test(section.title) ||
      layout.listsCommands?.(section) === true;
  });
  return readSubcommands(listing, { words, nested: layout.nestsCommands ?? false });
}

/** Returns the description of the command `words`; an empty text when there is none. */
function descriptionOf(sections: readonly Section[], words: readonly string[]): string {
  const titled = sections.find(({ title }) => /^(?:description|name)$/i.test(title));
  const candidates = [
    ...sections.filter(({ title }) => title === "").flatMap(({ lines }) => {
      const table = lines.findIndex((line) => isOptionLine(line));
      return paragraphsOf(
        (table === -1 ? lines : lines.slice(0, table)).filter(({ text }) =>
          !isForm(text) && !isTitle(text)
        ),
      );
    }),
    ...(titled === undefined ? [] : paragraphsOf(titled.lines)),
  ];
  const at = candidates.findIndex((text) => {
    return /^["'`(]?[A-Za-z].*\s.*\s/.test(text) &&
      !/^(?:or|usage|these are|unknown option|invalid option|unrecognized option|mandatory arguments|copyright|use "|\S*\(\)|note|by default|if|when|unless|stdin)\b/i
        .test(text) &&
      !/^[A-Z-]+\(\)|\s{3,}|\bcopyright\b|\bno warranty\b/i.test(text) &&
      !/^[A-Z\s]+$/.test(text) &&
      !/^\S+ v?\d+\.\d+\S*(?:\s|$)/.test(text) && !/https?:\/\/|@\S+\.\w+>/.test(text.slice(0, 80));
  });
  if (at === -1) return "";
  return wholeSentences(
    withItems(candidates, at).replace(/^[\w. -]+? - (?=[a-z])/, ""),
    maxDescription,
  );

  /** Returns whether a line is a usage form of a command. */
  function isForm(text: string): boolean {
    return text.startsWith(`${words[0]} `) && /[[<{]|\.\.\./.test(text);
  }
}

/** Returns whether a line has only the program and its version, or its author, as clap prints them. */
function isTitle(text: string): boolean {
  return /^\S+ v?\d+\.\d+\S*(?: \([^()]*\))?$|^[^<>]{1,80} <[^<>\s]+@[^<>\s]+>$/.test(text);
}

/** Returns the paragraph at `at`, with the list that it announces. */
function withItems(paragraphs: readonly string[], at: number): string {
  const text = paragraphs[at]!;
  if (!text.endsWith(":")) return text;
  const after = paragraphs.slice(at + 1);
  const end = after.findIndex((each) => !/^[-*•] /.test(each));
  const items = after.slice(0, end === -1 ? after.length : end).map((each) =>
    each.slice(2).replace(/\.$/, "")
  );
  return items.length === 0 ? text : `${text} ${items.join("; ")}`;
}

const maxDescription = 600;

const commandName = /^[a-z0-9][\w:.+-]*$/i;

/** Returns the commands in `sections`, each once. */
function readSubcommands(
  sections: readonly Section[],
  { words, nested }: { readonly words: readonly string[]; readonly nested: boolean },
): SubcommandHelp[] {
  const found = new Map<string, SubcommandHelp>();
  for (const section of sections) {
    const table = nested ? unnest(section) : section;
    for (const row of [...fromCommaList(section), ...fromTable(table, words)]) {
      if (!metaCommand.test(row.name)) found.getOrInsert(row.name, row);
    }
  }
  return [...found.values()];
}

/** Matches a command about the program itself, which an agent does not need. */
const metaCommand = /^(?:help|completions?|autocomplete|shell-completion|version|__.*)$/;

/** Returns the rows that are indented below the first rows. */
function unnest({ title, lines }: Section): Section {
  const indents = lines.filter(({ text }) => text !== "").map(({ indent }) => indent);
  const first = Math.min(...indents);
  const second = Math.min(...indents.filter((indent) => indent > first));
  // Rows are near their argument; descriptions have a column of their own
  if (second > first + 4) return { title, lines: /^positional/i.test(title) ? [] : lines };
  return { title, lines: lines.filter(({ indent }) => indent > first) };
}

function fromTable(section: Section, words: readonly string[]): SubcommandHelp[] {
  if (isCommaList(section) || section.lines.length === 0) return [];
  return entriesOfSection(section).flatMap(({ head, paragraphs }): SubcommandHelp[] => {
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
  return /^[<[({|]|[>\])}]$|^[A-Z_.=|-]+\.*$|^[\w-]+,?$/.test(word);
}

/** Removes the program in front of a command, as yargs prints it. */
function withoutWords(head: string, words: readonly string[]): string {
  const forms = [words, words.slice(1), words.slice(0, 1)].map((each) => `${each.join(" ")} `);
  const form = forms.find((each) => each !== " " && head.startsWith(each));
  return form === undefined ? head : head.slice(form.length);
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
