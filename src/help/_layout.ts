/**
 * Reads the help text of a command-line program, with what a layout says: a layout is the way in which one library
 * prints help.
 */

import { type HelpAnnotations, readAnnotations, valuesBelow } from "./_annotations.ts";
import {
  continuesProse,
  type Entry,
  linesOf,
  optionEntries,
  type Section,
  sectionsOf,
} from "./_sections.ts";
import { descriptionOf } from "./_description.ts";
import { isOptionLine, isRow, type Line } from "./_columns.ts";
import { type HeadValue, type OptionHead, readOptionHead } from "./_option_head.ts";
import {
  bare,
  findLostPositionals,
  isArgumentTable,
  positionalsOf,
  type TypeWords,
  valueOf,
} from "./_positionals.ts";
import { isAlias, subcommandsOf } from "./_subcommands.ts";
import { hasCommand, optionsIn, readForms, type Usage, type UsageOptions } from "./_usage.ts";
import { formsOf } from "./_usage_forms.ts";
import { empty, type Row, settleUnshownValues, withUsageOptions } from "./_rows.ts";
import type { CommandHelp, OptionHelp, SubcommandHelp } from "./command_help.ts";

export interface Layout {
  readonly name: string;
  recognises(text: string): boolean;
  readonly clean?: (text: string) => string;
  readonly typeWords?: TypeWords;
  readonly readHead?: (head: string) => OptionHead | undefined;
  readonly namesCommandsInUsage?: boolean;
  readonly lowerCaseArguments?: boolean;
  readonly showsNoValues?: boolean;
  readonly isHandwritten?: boolean;
}

const mentions =
  /^(?!.*\b(?:options|arguments|flags)\b).*(?:example|learn more|see also|^environment\b|environment variable|exit (?:status|code)|aliases|help topics|columns)|^synopsis$/i;

const interactiveAlone =
  /\b(?:without|no) (?:any )?arguments?\b[^.\n]{0,60}\binteractive|\binteractive\b[^.\n]{0,60}\b(?:without|no) (?:any )?arguments?\b/;

export function readAs(layout: Layout, text: string, words: readonly string[]): CommandHelp {
  const sections = sectionsOf(linesOf(layout.clean?.(text) ?? text));
  const shownUsage = usageLines(sections, words);
  const forms = formsOf(shownUsage, words);
  const listed = subcommandsOf(sections, { words, isExpected: () => hasCommand(forms) });
  const tables = sections.filter(({ title }) => title !== "usage" && !mentions.test(title));
  const entries = tables.flatMap(optionEntries);
  const readHead = layout.readHead ?? readOptionHead;
  const rows = entries.map((entry): Row => ({
    entry,
    head: sureHead(readHead(entry.head), entry),
  }));
  if (layout.isHandwritten) settleUnshownValues(rows);
  const named = new Set(rows.flatMap(({ head }) => head?.names ?? []));
  const written = rows.length === 0 || layout.isHandwritten
    ? forms.flatMap((form) => optionsIn(form, named))
    : [];
  const heads = withUsageOptions(rows, written, sections);
  const usageOptions: UsageOptions = {
    words,
    takesValue: new Map(heads.flatMap(({ head }) => {
      return head?.names.map((name) => [name, head.value !== undefined] as const) ?? [];
    })),
    lowerCase: layout.lowerCaseArguments ?? false,
    plurals: layout.isHandwritten ?? false,
    hasSubcommands: listed.subcommands.length > 0,
    commandNames: new Set(listed.subcommands.map(({ name }) => name)),
    commandsAreOptions: listed.subcommands.length === 0 &&
      entries.some(({ section }) => /\b(?:commands?|actions?)$/i.test(section)),
  };
  const usage = readForms(forms, usageOptions);
  const options: OptionHelp[] = [];
  const places = new Map<string, number>();
  const unread: string[] = [];
  for (const { entry, head } of heads) {
    if (head === undefined) {
      unread.push(entry.head);
      continue;
    }
    const isFixed = /[= ][a-z\d-]+$/.test(entry.head);
    const option = optionOf({ entry, head }, layout, usage);
    if (/^\[?\{(?:"|\}$)/.test(option.value?.default ?? "")) unread.push(entry.head);
    else addOption(options, option, { places, isFixed });
  }
  const passed = sections.filter(({ title }) => mentions.test(title)).flatMap(optionEntries)
    .filter(({ head, paragraphs }) => {
      return paragraphs.length > 0 && readHead(head)?.names.every((name) => !places.has(name));
    });
  unread.push(...passed.map(({ head }) => head));
  const positionals = positionalsOf(sections, usage, layout.typeWords);
  const lower = text.toLowerCase();
  const help: CommandHelp = {
    layout: layout.name,
    description: descriptionOf(sections, words),
    options,
    positionals,
    lostPositionals: listed.subcommands.length > 0
      ? []
      : findLostPositionals(sections, positionals, usageOptions.commandsAreOptions ? [] : forms),
    subcommands: listed.subcommands,
    dropped: listed.dropped,
    isGroup: listed.subcommands.length > 0 && !usage.standsAlone,
    optionsFirst: usage.optionsFirst,
    mentionsInput: lower.includes("stdin") || lower.includes("standard input"),
    isInteractiveAlone: lower.includes("interactive") && interactiveAlone.test(lower),
    optionLines: heads.length + passed.length,
    unread,
    lost: findLost(tables, entries, { ...listed, options, positionals }),
    otherUsages: usage.others,
  };
  const subcommands = commandsInUsage(help, usage, { layout, usageOptions, sections });
  if (subcommands.length === 0) return help;
  return { ...help, subcommands, lostPositionals: [], isGroup: !usage.standsAlone };
}

/** Adds an option. If a help text lists `--time` and `--time=WORD`, they are one option with an optional value. */
function addOption(
  options: OptionHelp[],
  option: OptionHelp,
  { places, isFixed }: { readonly places: Map<string, number>; readonly isFixed: boolean },
): void {
  const at = option.names.map((name) => places.get(name)).find((each) => each !== undefined);
  const names = at === undefined ? option.names : option.names.filter((name) => !places.has(name));
  for (const name of names) places.set(name, options.length);
  if (at === undefined) {
    options.push(option);
    return;
  }
  const known = options[at]!;
  const { value } = option;
  const word = value?.placeholder ?? "";
  const { choices } = known.value ?? {};
  if (
    value !== undefined && known.value === undefined &&
    (option.joined || option.names.length === 1)
  ) {
    const { joined, glue } = option;
    const shown = { ...known, joined, glue, value: { ...value, optional: true } };
    options[at] = isFixed
      ? { ...shown, value: { ...shown.value, choices: [word], guesses: ["enum"] } }
      : { ...shown, description: option.description };
  } else if (isFixed && choices !== undefined && choices[0] === known.value!.placeholder) {
    options[at] = { ...known, value: { ...known.value!, choices: [...choices, word] } };
  }
  const [first, ...others] = names;
  if (first === undefined) return;
  const isSwitch = value === undefined || isFixed && /^-\w{1,2}$/.test(first);
  options.push({ ...option, names: [first, ...others], value: isSwitch ? undefined : value });
}

function commandsInUsage(
  help: CommandHelp,
  { commands, commandNames: names, asksForHelp }: Usage,
  { layout, usageOptions, sections }: {
    readonly layout: Layout;
    readonly usageOptions: UsageOptions;
    readonly sections: readonly Section[];
  },
): SubcommandHelp[] {
  if (layout.namesCommandsInUsage) {
    const names = new Set([...commands.keys()].map((words) => words.split(" ")[0]!));
    return [...names].map((name) => ({ name, description: "", usage: "" }));
  }
  const rows = new Map(help.subcommands.map((row) => [row.name, row]));
  if (rows.size > 0 && !(asksForHelp && [...rows.keys()].every((name) => commands.has(name)))) {
    return [];
  }
  if (names.length > 0) return names.map((name) => ({ name, description: "", usage: "" }));
  if (commands.size < 2 || !layout.isHandwritten) return [];
  return [...commands].map(([name, forms]) => {
    const words = [...usageOptions.words, ...name.split(" ")];
    const usage = readForms(forms, { ...usageOptions, words, fixedWords: true });
    const all = forms.some((form) => /\[options\]/i.test(form));
    const options = help.options.filter(({ names }) => {
      return all || names.some((each) => usage.options.has(each));
    });
    const positionals = positionalsOf([{ title: "usage", lines: [] }], usage, layout.typeWords);
    const rest = { description: "", subcommands: [], lostPositionals: [], unread: [], lost: [] };
    const own = {
      ...{ ...help, ...rest, options, positionals, otherUsages: usage.others, isGroup: false },
      ...{ optionLines: options.length, optionsFirst: usage.optionsFirst },
    };
    const description = rows.get(name)?.description ?? descriptionInList(sections, words);
    return { name, description, usage: forms[0]!, help: own };
  });
}

/** Finds a command's description in a list such as `- farm sell: sell all`. */
function descriptionInList(sections: readonly Section[], words: readonly string[]): string {
  const command = RegExp.escape(words.join(" "));
  const row = new RegExp(`^(?:[-*•] )?${command}(?: {2,}|: +| +[-–—] +)(\\S.*)$`);
  const texts = sections.flatMap(({ title, lines }) => title === "usage" ? [] : lines);
  return texts.flatMap(({ text }) => row.exec(text)?.[1] ?? [])[0] ?? "";
}

function sureHead(head: OptionHead | undefined, entry: Entry): OptionHead | undefined {
  const { count = 1 } = head?.value ?? {};
  const isUnsure = count > (entry.paragraphs.length === 0 ? 1 : 2) &&
    /^-\S* .*(?<![\w-])[a-z]{2}/.test(entry.head.replace(/\[[^\]]*\]|<[^>]*>/g, ""));
  const text = entry.paragraphs.join(" ");
  // grep's `-NUM` stands for any number as an option, such as `-5`, and is not an option with this name
  const [, number] = /^-([A-Z]{2,})$/.exec(entry.head) ?? [];
  const isNumber = number !== undefined && new RegExp(`(?<!-)\\b${number}\\b`).test(text);
  if (head === undefined || isUnsure || isNumber) return undefined;
  // In dot's `-Tv - Set output format to 'v'`, the option is `-T`, and `v` stands for its value
  const [, letter, placeholder] = /^(-[A-Za-z])([a-z]+)$/.exec(entry.head) ?? [];
  if (letter === undefined || !text.includes(`'${placeholder}'`)) return head;
  return { ...head, names: [letter], value: { ...empty, placeholder: placeholder! }, glue: "" };
}

function findLost(
  sections: readonly Section[],
  entries: readonly Entry[],
  { options, positionals, subcommands, dropped }: Found,
): string[] {
  const read = new Set(entries.flatMap(({ lines }) => lines));
  const found = sections.flatMap((section) => {
    const { lines } = section;
    const groups = [...Map.groupBy(lines, ({ indent }) => indent).values()];
    const tables = groups.filter((all) => all.filter(isRow).length > all.length / 2);
    const rows = new Set(isArgumentTable(section) ? [] : tables.flat());
    return lines.filter((line, index) => {
      if (line.text === "" || read.has(line)) return false;
      // An option may begin with a plus sign, as in `+i  as it is`
      const isOption = /^[+-][^\s-]\S*(?: -\S+)? {2,}\S/.test(line.text) ||
        isOptionLine(line) && !continuesProse(line, lines[index - 1]);
      return isOption || isRow(line) && rows.has(line);
    });
  });
  if (found.length === 0) return [];
  const names = new Set([
    ...options.flatMap((option) => [...option.names, option.value?.placeholder ?? ""]),
    ...positionals.flatMap(({ name, value }) => [name, ...value.choices ?? []]),
    ...subcommands.flatMap(({ name }) => name.split(" ")),
    ...dropped,
  ].map(bare));
  return found.map(({ text }) => text).filter((text) => {
    const [name] = nameInRow.exec(text) ?? [];
    return name === undefined || !names.has(bare(name)) && !isAlias.test(text);
  });
}

const nameInRow = /(?<=^[<[{]*)\/?-{0,2}\w[\w.:-]*(?<=\w)/;

type Found = Pick<CommandHelp, "options" | "positionals" | "subcommands" | "dropped">;

const saysValue =
  /^(?:(?:an? |the |optional )(?:[\w-]+ ){0,2}(?:path|url|file|directory|folder)|(?:file ?|full |relative )?(?:path|url)|comma[- ](?:separated|delimited)|(?:(?:an? |the )?(?:max|min)(?:imum)? |the |an? )?(?:number|list|array|name)s? of)\b/i;

function usageLines(sections: readonly Section[], words: readonly string[]): readonly Line[] {
  const titled = sections.find(({ title }) => /^(?:usage|synopsis)\b/i.test(title));
  const first = titled?.lines.find(({ text }) => text !== "");
  // Go prints the options below a heading such as `Usage of FILE:`, so this heading has no usage lines
  if (first !== undefined && !isOptionLine(first)) return titled!.lines;
  // systemd's programs and yargs print the usage without a heading, so it is looked for in the first lines
  const at = sections[0]!.lines.findIndex(({ text }) => {
    return text.startsWith(`${words.join(" ")} `) && /[[<{]|\.\.\.|\b[A-Z]{3,}\b/.test(text);
  });
  return at === -1 ? [] : sections[0]!.lines.slice(at, at + 1);
}

function optionOf(
  { entry, head }: { readonly entry: Entry; readonly head: OptionHead },
  layout: Layout,
  usage: Usage,
): OptionHelp {
  const { isHandwritten = false, showsNoValues = false, typeWords } = layout;
  const [first = "", ...others] = entry.paragraphs;
  const paragraphs = [`${head.prose} ${first}`.trim(), ...others];
  const isBare = head.value === undefined && !showsNoValues;
  const found = readAnnotations(paragraphs, isBare && !saysValue.test(paragraphs[0]!));
  const choices = found.choices ?? (isBare ? undefined : valuesBelow(entry.lines));
  // Where the help says "N can be +N or -N", as find does, a number may have a sign, so it is no plain integer
  const hasUnits = found.hasUnits || /\+N\b/.test(entry.section);
  const annotations = { ...found, choices, hasUnits };
  const isSaid = head.value === undefined && (isHandwritten || showsNoValues) &&
    !valueWords.test([...annotations.words].join("\n")) && saysValue.test(annotations.text);
  const shown = head.value ??
    (isSaid
      ? { ...empty, placeholder: /\bnumber of\b/i.test(annotations.text) ? "n" : "" }
      : impliedValue(paragraphs, annotations, layout));
  const repeated = head.repeated || head.names.some((name) => usage.repeatedOptions.has(name));
  const value = shown && valueOf(shown, annotations, typeWords, repeated);
  return {
    names: head.names,
    negations: head.negations,
    value: value && isSaid ? { ...value, guesses: [...value.guesses, "value"] } : value,
    required: annotations.required || /\(required\)$/i.test(entry.head) ||
      head.names.some((name) => usage.requiredOptions.has(name)),
    joined: head.joined,
    glue: head.glue,
    description: annotations.text,
    section: entry.section,
    inUsage: head.names.some((name) => usage.options.has(name)),
  };
}

const valueWords = /^(?:boolean|array|string|number|count)$/m;

function impliedValue(
  paragraphs: readonly string[],
  { words, choices, choicesGuessed, default: preset = "true" }: HelpAnnotations,
  { isHandwritten = false, showsNoValues = false }: Layout,
): HeadValue | undefined {
  const hasChoices = choices !== undefined && !choicesGuessed;
  const isTyped = isHandwritten &&
    /\btype: (?:string|u?int\d+|double)\b/.test(paragraphs.join(" "));
  if (isTyped || hasChoices && isHandwritten) return empty;
  if (!showsNoValues || words.has("boolean") || words.has("count")) return undefined;
  const placeholder = ["array", "number", "string"].find((word) => words.has(word));
  return placeholder !== undefined || hasChoices || !/^(?:true|false)$/.test(preset)
    ? { ...empty, placeholder: placeholder ?? "" }
    : undefined;
}
