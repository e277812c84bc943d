/**
 * What every layout of help has in common, and the places where one differs. A layout is a value:
 * how it is recognised, and what it does in another way than most.
 */

import { type Annotations, readAnnotations } from "./_annotations.ts";
import type { CommandHelp, OptionHelp, PositionalHelp, SubcommandHelp } from "./command_help.ts";
import { type Entry, namedEntries, optionEntries, paragraphsOf } from "./_entries.ts";
import { type OptionHead, readOptionHead } from "./_option_head.ts";
import { type Line, linesOf, type Section, sectionsOf } from "./_sections.ts";
import { readSubcommands } from "./_subcommands.ts";
import { type Usage, type UsageArgument, readUsages } from "./_usage.ts";
import { type TypeWords, valueOf } from "./_value.ts";

/** One way of printing help. */
export interface Layout {
  readonly name: string;
  /** Whether a text, lines at the margin trimmed, is printed in this layout. */
  recognises(text: string): boolean;
  /** Takes out what is only decoration. */
  readonly clean?: (text: string) => string;
  /** Words for types, as this layout prints them. */
  readonly typeWords?: TypeWords;
  /** Reads the head of an option where it is not `--name <VALUE>`. */
  readonly readHead?: (head: string) => OptionHead | undefined;
  /** Changes an option by what its description says in this layout. */
  readonly refine?: (option: OptionHelp, said: Annotations, entry: Entry) => OptionHelp;
  /** Whether a section lists subcommands, where its title alone does not say. */
  readonly listsCommands?: (section: Section) => boolean;
  /** Whether lower-case words of a usage line are arguments. */
  readonly lowerCaseArguments?: boolean;
}

/** What a layout is read for. */
export interface ReadContext {
  /** The words before the options: program and subcommands, as they were called. */
  readonly words: readonly string[];
}

/** Sections in which options are only mentioned. */
const mentions = /example|learn more|see also|environment|exit (?:status|code)|aliases|^synopsis$/i;

/** Reads `text` as `layout`. */
export function readAs(layout: Layout, text: string, { words }: ReadContext): CommandHelp {
  const lines = linesOf(layout.clean?.(text) ?? text);
  const sections = sectionsOf(lines);
  const usage = readUsages(usageLines(sections, words), {
    words,
    lowerCase: layout.lowerCaseArguments ?? false,
  });
  const options: OptionHelp[] = [];
  const unread: string[] = [];
  let optionLines = 0;
  for (const section of sections) {
    if (mentions.test(section.title) || section.title === "usage" && !hasTable(section)) continue;
    for (const entry of optionEntries(section)) {
      optionLines++;
      const option = readOption(layout, entry, usage);
      if (option === undefined) unread.push(entry.head);
      else if (!options.some(({ names }) => names.some((name) => option.names.includes(name)))) {
        options.push(option);
      }
    }
  }
  return {
    layout: layout.name,
    description: descriptionOf(sections, words),
    options,
    positionals: positionalsOf(sections, usage, layout),
    subcommands: subcommandsOf(sections, layout, words),
    optionLines,
    unread,
    otherUsages: usage.others,
  };
}

function usageLines(sections: readonly Section[], words: readonly string[]): readonly Line[] {
  const titled = sections.find(({ title }) => /^(?:usage|synopsis)\b/i.test(title));
  if (titled !== undefined && titled.lines.some(({ text }) => text !== "")) return titled.lines;
  // systemd and yargs print the usage first, without saying so
  const first = sections[0]!.lines.findIndex(({ text }) => text.startsWith(`${words.join(" ")} `));
  return first === -1 ? [] : sections[0]!.lines.slice(first, first + 1);
}

/** Go's flag package and some others print options below the usage without a heading. */
function hasTable({ lines }: Section): boolean {
  const blank = lines.findIndex(({ text }) => text === "");
  return lines.slice(blank === -1 ? 0 : blank).some(({ text }) => text.startsWith("-")) ||
    lines[0]?.text.startsWith("-") === true || lines[1]?.text.startsWith("-") === true;
}

function readOption(layout: Layout, entry: Entry, usage: Usage): OptionHelp | undefined {
  const head = (layout.readHead ?? readOptionHead)(entry.head);
  if (head === undefined) return undefined;
  const paragraphs = head.prose === "" ? entry.paragraphs : [
    `${head.prose} ${entry.paragraphs[0] ?? ""}`.trim(),
    ...entry.paragraphs.slice(1),
  ];
  const said = readAnnotations(paragraphs);
  const { typeWords = {} } = layout;
  const value = head.value === undefined
    ? undefined
    : valueOf(head.value, said, { typeWords, repeated: head.repeated });
  const option: OptionHelp = {
    names: head.names,
    negations: head.negations,
    ...(value === undefined ? {} : { value }),
    required: said.required || head.names.some((name) => usage.requiredOptions.has(name)),
    counted: value === undefined && (head.repeated || said.repeatable),
    joined: head.joined,
    description: said.text,
    section: entry.section,
  };
  return layout.refine?.(option, said, entry) ?? option;
}

function descriptionOf(sections: readonly Section[], words: readonly string[]): string {
  const called = words.join(" ");
  const titled = sections.find(({ title }) => /^(?:description|name)$/i.test(title));
  const candidates = [
    ...paragraphsOf(sections[0]!.lines.filter(({ text }) => !text.startsWith(`${called} `))),
    ...sections.filter(({ title }) => title === "usage").flatMap(({ lines }) => {
      const blank = lines.findIndex(({ text }) => text === "");
      return blank === -1 ? [] : paragraphsOf(lines.slice(blank));
    }),
    ...(titled === undefined ? [] : paragraphsOf(titled.lines)),
  ];
  const found = candidates.find((text) => {
    return /^["'`(]?[A-Za-z].*\s.*\s/.test(text) && !/^(?:or|usage)\b/i.test(text) &&
      !/^\S+ v?\d+\.\d+\S*(?:\s|$)/.test(text) && !/https?:\/\/|@\S+\.\w+>/.test(text.slice(0, 80));
  });
  return (found ?? "").replace(/^[\w. -]+? - (?=[a-z])/, "").slice(0, maxDescription);
}

/** Characters of a description that are kept. */
const maxDescription = 600;

function positionalsOf(
  sections: readonly Section[],
  usage: Usage,
  layout: Layout,
): PositionalHelp[] {
  const described = sections
    .filter(({ title }) => /^(?:positional )?(?:arguments?|args|positionals|parameters)$/i.test(title))
    .flatMap(namedEntries);
  const fromUsage = usage.arguments.map((argument) => {
    const entry = described.find(({ head }) => bare(head) === bare(argument.name));
    return positionalOf(argument, entry, layout);
  });
  if (fromUsage.length > 0) return fromUsage;
  return described.filter(({ head }) => !head.startsWith("{")).map((entry) => {
    const list = /\.\.\.?/.test(entry.head);
    const required = /^</.test(entry.head) && !/optional/i.test(entry.paragraphs[0] ?? "");
    const name = bare(entry.head.split(/\s/)[0]!);
    return positionalOf({ name, required, list }, entry, layout);
  });
}

function positionalOf(
  { name, required, list, choices }: UsageArgument,
  entry: Entry | undefined,
  { typeWords }: Layout,
): PositionalHelp {
  const said = readAnnotations(entry?.paragraphs ?? []);
  const head = {
    placeholder: name,
    optional: false,
    repeated: list,
    commas: false,
    count: 1,
    ...(choices === undefined ? {} : { choices }),
  };
  // What is said of repeating an option does not hold for an argument
  const plain = { ...said, repeatable: false, commas: false };
  const value = valueOf(head, plain, typeWords === undefined ? {} : { typeWords });
  return { name, required, description: said.text, value };
}

/** A placeholder's word alone, for comparing. */
function bare(text: string): string {
  return text.split(/\s/)[0]!.replace(/[<>[\]{}().,:]/g, "").toLowerCase();
}

function subcommandsOf(
  sections: readonly Section[],
  layout: Layout,
  words: readonly string[],
): SubcommandHelp[] {
  const listing = sections.filter((section) => {
    if (/option|flag|usage|example|environment/i.test(section.title)) return false;
    return /\b(?:sub-?)?(?:commands?|topics|groups)\b/i.test(section.title) ||
      layout.listsCommands?.(section) === true;
  });
  return readSubcommands(listing, words);
}
