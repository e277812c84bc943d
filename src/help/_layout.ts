/** Reads a help in any layout. Hooks of a layout read the parts that differ from others. */

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
import { type OptionHead, readOptionHead } from "./_option_head.ts";
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
  /** Returns whether a help text has this layout. */
  recognises(text: string): boolean;
  readonly clean?: (text: string) => string;
  readonly typeWords?: TypeWords;
  /** Reads the head of an option that has another form than `--name <VALUE>`. */
  readonly readHead?: (head: string) => OptionHead | undefined;
  /** Changes an option by its description in this layout. */
  readonly refine?: (option: OptionHelp, annotations: HelpAnnotations, entry: Entry) => OptionHelp;
  /** True when words without brackets in a usage line are subcommands. */
  readonly namesCommandsInUsage?: boolean;
  /** True when lower-case words of a usage line are arguments. */
  readonly lowerCaseArguments?: boolean;
  /** True when the help shows names without placeholders, and types after descriptions. */
  readonly showsNoValues?: boolean;
  /** True when people write the usage line by hand, so that it may have what the tables lack. */
  readonly isHandwritten?: boolean;
}

/** Matches titles of sections that mention options, and do not define them. */
const mentions =
  /^(?!.*\b(?:options|arguments|flags)\b).*(?:example|learn more|see also|^environment\b|environment variable|exit (?:status|code)|aliases|help topics|columns)|^synopsis$/i;

const interactiveAlone =
  /\b(?:without|no) (?:any )?arguments?\b[^.\n]{0,60}\binteractive|\binteractive\b[^.\n]{0,60}\b(?:without|no) (?:any )?arguments?\b/;

/** Reads a help; `words` are the program and its subcommands, as they were called. */
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
  const switches = heads.flatMap(({ head }) => head?.value === undefined ? head?.names ?? [] : []);
  const usageOptions: UsageOptions = {
    words,
    switches: new Set(switches),
    takers: new Set(heads.flatMap(({ head }) => head?.value === undefined ? [] : head.names)),
    lowerCase: layout.lowerCaseArguments ?? false,
    plurals: layout.isHandwritten ?? false,
    hasSubcommands: listed.subcommands.length > 0,
    commandNames: new Set(listed.subcommands.map(({ name }) => name)),
    // dpkg calls its options "commands"
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
    // In `-p, --style=slash` and `--style slash`, the value is a fixed word
    const isFixed = /[= ][a-z\d-]+$/.test(entry.head);
    const option = optionOf({ entry, head }, layout, usage);
    // An object as the default is no word that a command line could have
    if (/^\[?\{(?:"|\}$)/.test(option.value?.default ?? "")) unread.push(entry.head);
    else addOption(options, option, { places, isFixed });
  }
  // A row that seems to mention options may define one all the same
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
    // Beside subcommands, a positional argument is only their placeholder; a program may call its options commands
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

/** Adds an option with its new names. A further row may have the value of an option: `--time` and `--time=WORD`. */
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
  const { value, ...rest } = option;
  const word = value?.placeholder ?? "";
  const { choices } = known.value ?? {};
  if (
    value !== undefined && known.value === undefined &&
    (option.joined || option.names.length === 1)
  ) {
    const shown = { ...known, joined: option.joined, value: { ...value, optional: true } };
    options[at] = isFixed
      ? { ...shown, value: { ...shown.value, choices: [word], guesses: ["enum"] } }
      : { ...option, ...shown, description: option.description };
  } else if (isFixed && choices !== undefined && choices[0] === known.value!.placeholder) {
    options[at] = { ...known, value: { ...known.value!, choices: [...choices, word] } };
  }
  const [first, ...others] = names;
  if (first === undefined) return;
  const isSwitch = value === undefined || isFixed && /^-\w{1,2}$/.test(first);
  options.push({ ...rest, names: [first, ...others], ...(isSwitch ? {} : { value }) });
}

/** Returns the commands that only the usage names, as in docopt; their options are those of the program. */
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
  // In docopt, a table describes only commands that the usage has
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
    const own = {
      ...{ ...help, description: "", subcommands: [], lostPositionals: [], unread: [], lost: [] },
      ...{ options, positionals, otherUsages: usage.others, isGroup: false },
      ...{ optionLines: options.length, optionsFirst: usage.optionsFirst },
    };
    const description = rows.get(name)?.description ?? descriptionInList(sections, words);
    return { name, description, usage: forms[0]!, help: own };
  });
}

/** Returns the description of a command that stands in a list: `- farm sell: sell all`. */
function descriptionInList(sections: readonly Section[], words: readonly string[]): string {
  const command = words.join(" ");
  const row = new RegExp(`^(?:[-*•] )?${RegExp.escape(command)}(?: {2,}|: +| +[-–—] +)(\\S.*)$`);
  const found = sections.filter(({ title }) => title !== "usage")
    .flatMap(({ lines }) => lines.flatMap(({ text }) => row.exec(text)?.[1] ?? []));
  return found[0] ?? "";
}

/** Returns `head`; `undefined` if the words after a name may be values or a description. */
function sureHead(head: OptionHead | undefined, entry: Entry): OptionHead | undefined {
  const { count = 1 } = head?.value ?? {};
  const isUnsure = count > (entry.paragraphs.length === 0 ? 1 : 2) &&
    /^-\S* .*(?<![\w-])[a-z]{2}/.test(entry.head.replace(/\[[^\]]*\]|<[^>]*>/g, ""));
  const text = entry.paragraphs.join(" ");
  // In grep, `-NUM` stands for any number
  const [, number] = /^-([A-Z]{2,})$/.exec(entry.head) ?? [];
  const isNumber = number !== undefined && new RegExp(`(?<!-)\\b${number}\\b`).test(text);
  if (head === undefined || isUnsure || isNumber) return undefined;
  // In dot, `-Tv - Set output format to 'v'` has a letter and then a placeholder
  const [, letter, placeholder] = /^(-[A-Za-z])([a-z]+)$/.exec(entry.head) ?? [];
  if (letter === undefined || !text.includes(`'${placeholder}'`)) return head;
  return { ...head, names: [letter], value: { ...empty, placeholder: placeholder! }, glue: "" };
}

/** Returns lines that look like options or rows of a table, and that are in no entry. */
function findLost(
  sections: readonly Section[],
  entries: readonly Entry[],
  { options, positionals, subcommands, dropped }: Found,
): string[] {
  const read = new Set(entries.flatMap(({ lines }) => lines));
  const found = sections.flatMap((section) => {
    const { lines } = section;
    // Justified prose may look like a row
    const tables = new Map<number, boolean>();
    const isTable = (at: number) =>
      tables.getOrInsertComputed(at, () => {
        const all = lines.filter(({ indent }) => indent === at);
        return all.filter(isRow).length > all.length / 2 && !isArgumentTable(section);
      });
    return lines.filter((line, index) => {
      if (line.text === "" || read.has(line)) return false;
      // Options may begin with other characters: `+i  as it is`, `-*  any digest`
      const isOption = /^[+-][^\s-]\S*(?: -\S+)? {2,}\S/.test(line.text) ||
        isOptionLine(line) && !continuesProse(line, lines[index - 1]);
      return isOption || isRow(line) && isTable(line.indent);
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

/** Matches a description of a value, where a switch has a verb. */
const saysValue =
  /^(?:(?:an? |the |optional )(?:[\w-]+ ){0,2}(?:path|url|file|directory|folder)|(?:file ?|full |relative )?(?:path|url)|comma[- ](?:separated|delimited)|(?:(?:an? |the )?(?:max|min)(?:imum)? |the |an? )?(?:number|list|array|name)s? of)\b/i;

function usageLines(sections: readonly Section[], words: readonly string[]): readonly Line[] {
  const titled = sections.find(({ title }) => /^(?:usage|synopsis)\b/i.test(title));
  const first = titled?.lines.find(({ text }) => text !== "");
  // Go prints its options below a heading such as `Usage of FILE:`
  if (first !== undefined && !isOptionLine(first)) return titled!.lines;
  // systemd and yargs print the usage first, without a heading
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
  const paragraphs = head.prose === "" ? entry.paragraphs : [
    `${head.prose} ${entry.paragraphs[0] ?? ""}`.trim(),
    ...entry.paragraphs.slice(1),
  ];
  const isBare = head.value === undefined && !layout.showsNoValues;
  const found = readAnnotations(paragraphs, isBare && !saysValue.test(paragraphs[0] ?? ""));
  const listed = isBare ? undefined : valuesBelow(entry.lines);
  const known = listed === undefined ? found : { ...found, choices: found.choices ?? listed };
  // The text "N can be +N or -N" allows a sign in front of the number
  const annotations = /\+N\b/.test(entry.section) ? { ...known, hasUnits: true } : known;
  // An option with a list of values has a value
  const hasChoices = annotations.choices !== undefined && !annotations.choicesGuessed;
  // gflags prints the type in the description
  const isTyped = layout.isHandwritten === true &&
    /\btype: (?:string|u?int\d+|double)\b/.test(paragraphs.join(" "));
  const isSaid = head.value === undefined && (layout.isHandwritten || layout.showsNoValues) &&
    !/\[(?:boolean|array|string|number|count)\]/.test(entry.paragraphs.join(" ")) &&
    saysValue.test(annotations.text);
  const isCount = isSaid && /\bnumber of\b/i.test(annotations.text);
  const shown = head.value ??
    (isSaid || isTyped || hasChoices && layout.isHandwritten
      ? { ...empty, placeholder: isCount ? "n" : "" }
      : undefined);
  const value = shown === undefined ? undefined : valueOf(shown, annotations, {
    typeWords: layout.typeWords ?? {},
    repeated: head.repeated || head.names.some((name) => usage.repeatedOptions.has(name)),
  });
  const option: OptionHelp = {
    names: head.names,
    negations: head.negations,
    ...(value === undefined
      ? {}
      : { value: isSaid ? { ...value, guesses: [...value.guesses, "value"] } : value }),
    required: annotations.required || /\(required\)$/i.test(entry.head) ||
      head.names.some((name) => usage.requiredOptions.has(name)),
    joined: head.joined,
    ...(head.glue === undefined ? {} : { glue: head.glue }),
    description: annotations.text,
    section: entry.section,
    inUsage: head.names.some((name) => usage.options.has(name)),
  };
  return layout.refine?.(option, annotations, entry) ?? option;
}
