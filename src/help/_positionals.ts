/** Reads the positional arguments of a help text: their order from the usage line, their descriptions from a table. */

import { type HelpAnnotations, readAnnotations } from "./_annotations.ts";
import type { ListForm, PositionalHelp, ValueHelp, ValueType } from "./command_help.ts";
import { empty } from "./_rows.ts";
import { entriesOfSection, type Entry, type Section } from "./_sections.ts";
import type { Usage } from "./_usage.ts";
import { standsForOptions, type UsageArgument } from "./_usage_arguments.ts";
import { type HeadValue, shapeOf } from "./_option_head.ts";

export function positionalsOf(
  sections: readonly Section[],
  usage: Usage,
  typeWords: TypeWords | undefined,
): PositionalHelp[] {
  const described = entriesIn(sections);
  const isExact = described.length > 0 && described.every(({ head }) => /^[<[]/.test(head));
  if (isExact) {
    return described.map((entry) => {
      const argument = fromEntry(entry, typeWords);
      const shown = usage.arguments.find(({ name }) => bare(name) === bare(argument.name));
      if (shown === undefined) return argument;
      const list = shown.list || argument.value.list !== undefined;
      return positionalOf(
        { name: argument.name, required: shown.required, list },
        entry,
        typeWords,
      );
    });
  }
  const names = new Set(usage.arguments.map(({ name }) => bare(name)));
  const isAligned = described.length === usage.arguments.length;
  const fromUsage = usage.arguments.map((argument, index) => {
    const other = isAligned && !names.has(bare(described[index]!.head))
      ? described[index]
      : undefined;
    const entry = described.find(({ head }) => bare(head) === bare(argument.name)) ?? other;
    const choices = argument.choices === undefined ? choicesOf(argument.name, sections) : undefined;
    const known = choices === undefined ? argument : { ...argument, choices, guesses: ["enum"] };
    return positionalOf(known, entry, typeWords);
  });
  if (fromUsage.length > 0) return fromUsage;
  if (usage.others.length > 0 || sections.some(({ title }) => title === "usage")) return [];
  return described.filter(({ head }) => !head.startsWith("{")).map((entry) =>
    fromEntry(entry, typeWords)
  );
}

function choicesOf(name: string, sections: readonly Section[]): string[] | undefined {
  const rows = sections.filter(({ title }) => /s$/i.test(title) && bare(title) === bare(name))
    .flatMap(entriesOfSection);
  const names = rows.flatMap(({ head }) => head.split(/\s*[|,]\s*/));
  const isTable = rows.length > 1 && names.every((each) => /^[a-z][\w.:-]*$/.test(each));
  return isTable ? names : undefined;
}

export function findLostPositionals(
  sections: readonly Section[],
  found: readonly PositionalHelp[],
  forms: readonly string[],
): string[] {
  const known = new Set(found.map(({ name }) => bare(name)));
  const all = entriesIn(sections);
  const rows = all.length === found.length ? [] : all.map(({ head }) => head)
    .filter((head) => /^[A-Za-z<[]/.test(head) && !known.has(bare(head)));
  return found.length > 0 ? rows : [...rows, ...findLostWords(forms)];
}

function findLostWords(forms: readonly string[]): string[] {
  const text = forms.join("\n")
    .replace(/\[-[^\]]*\]|(?<![\w-])-[\w-]+(?:[= ](?:<[^<>]*>|[A-Z]+\b)\S*)?/g, "");
  const found = text.match(/<[a-z][\w -]*>|(?<![\w=<.:/-])[A-Z][A-Z_]{2,}(?![\w=>.:/-])/g) ?? [];
  return [...new Set(found)].filter((word) => !standsForOptions({ kind: "word", text: word }));
}

export function isArgumentTable({ title }: Section): boolean {
  return /^(?:available )?(?:positional )?(?:arguments?|args|items|positionals|parameters)$/i
    .test(title);
}

function entriesIn(sections: readonly Section[]): Entry[] {
  return sections.filter(isArgumentTable)
    .flatMap(entriesOfSection)
    .filter(({ head }) => head.split(/\s/).length < 4 && !/[:;]$/.test(head));
}

function fromEntry(entry: Entry, typeWords: TypeWords | undefined): PositionalHelp {
  const list = /\.\.\.?/.test(entry.head);
  const required = /^</.test(entry.head) && !/optional/i.test(entry.paragraphs[0] ?? "");
  const name = entry.head.split(/\s/)[0]!.replace(/[<>[\]{}()]|\.{2,3}(?=[\]>})]*$)/g, "");
  return positionalOf({ name, required, list }, entry, typeWords);
}

function positionalOf(
  { name, required, list, choices, guesses = [] }: UsageArgument,
  entry: Entry | undefined,
  typeWords?: TypeWords,
): PositionalHelp {
  const [said = "", ...more] = entry?.paragraphs ?? [];
  // A table with a frame, as typer draws it, has a column for the type of the argument
  const [cell = ""] = typeCell.exec(said) ?? [];
  const annotations = readAnnotations([said.slice(cell.length), ...more]);
  const isMany = /^(?:one|zero) or more\b/i.test(annotations.text);
  const placeholder = cell.trim().replace(/[<>]| RANGE/g, "") || name;
  const known = choices ?? shapeOf(cell.trim()).choices;
  const head: HeadValue = { ...empty, placeholder, repeated: list || isMany, choices: known };
  // A text such as "may be repeated" is about options: a positional argument is a list only if the usage says so
  const plain = { ...annotations, repeatable: false, commas: false };
  const typed = valueOf(head, plain, typeWords);
  // An argument called NUMBER may be a fraction, as in seq, so it is not limited to integers
  const isAny = /^numbers?$/i.test(name) && typed.type === "integer" &&
    typed.guesses.includes("type");
  const value: ValueHelp = {
    ...typed,
    type: isAny ? "number" : typed.type,
    guesses: [...typed.guesses, ...guesses],
  };
  return { name, required, description: annotations.text, value };
}

const typeCell = /^(?:<[^<>]+>|\[[^\s[\]]+\|[^\s[\]]+\]|[A-Z]{3,}(?: RANGE)?)(?: {2,}|$)/;

/** Returns a placeholder without punctuation and plural ending, so that `<FILE>` and `files` compare as equal. */
export function bare(text: string): string {
  return text.split(/\s/)[0]!.replace(/[<>[\]{}().,:]/g, "").toLowerCase().replace(/s$/, "");
}

/** Maps the names that a library prints for types, such as `INTEGER`, to types of arguments. */
export type TypeWords = Readonly<
  Record<string, { readonly type: ValueType; readonly list?: ListForm | undefined }>
>;

export function typesOf(
  names: Readonly<Partial<Record<ValueType, string>>>,
  list?: ListForm,
): TypeWords {
  const types = Object.entries(names) as [ValueType, string][];
  return Object.fromEntries(types.flatMap(([type, words]) => {
    return words.split(" ").map((word) => [word, { type, list }]);
  }));
}

const integerNames =
  /^(?:n|nn|k|nums?|number|count|u?int(?:8|16|32|64)?|integer|lines?|cols?|width|height|depth|port|jobs|threads|workers|retries|pid|indent|digits|limit|max|min|context|concurrency|nproc|parallelism|iterations|runs|num[_-]\w+|\w[\w-]*[_-](?:count|depth|length|width|lines|columns?|limit|retries|port|jobs|threads|workers|size|items|results|number|num))$/i;

const numberNames =
  /^(?:float|double|fraction|ratio|rate|factor|seconds|sec|secs|fp|percent|number-of-seconds)$/i;

export function valueOf(
  head: HeadValue,
  found: HelpAnnotations,
  typeWords: TypeWords = {},
  repeated = false,
): ValueHelp {
  const { placeholder, preset } = head;
  const annotations = preset === undefined ? found : { ...found, default: found.default ?? preset };
  const known = Object.hasOwn(typeWords, placeholder) ? typeWords[placeholder] : undefined;
  const guesses: string[] = [];
  const isNamed = head.capitals?.some((word) =>
    word === annotations.default || annotations.choices?.includes(word)
  );
  const isPair = annotations.choicesGuessed && placeholder.includes("=");
  const choices = head.choices ??
    (isNamed ? head.capitals : isPair ? undefined : annotations.choices);
  if (head.choices === undefined && !isNamed && !isPair && annotations.choicesGuessed) {
    guesses.push("enum");
  }
  const type = known?.type ??
    (choices === undefined
      ? guessType(placeholder, annotations)
      : (choices.every((choice) => /^-?(?:0|[1-9]\d{0,14})$/.test(choice)) ? "integer" : "string"));
  if (known === undefined && choices === undefined && type !== "string") guesses.push("type");
  const list = known?.list ?? listOf(head, annotations, { repeated, guesses });
  return {
    placeholder,
    type,
    optional: head.optional && !isNamed,
    list,
    choices,
    default: /^(?:\[\])?$/.test(annotations.default ?? "") ? undefined : annotations.default,
    guesses,
  };
}

function listOf(
  head: HeadValue,
  annotations: HelpAnnotations,
  { repeated, guesses }: { repeated: boolean; guesses: string[] },
): ListForm | undefined {
  const isJoined = head.commas || head.repeated && annotations.commas;
  if (isJoined) return { kind: "joined", separator: "," };
  if (head.greedy) return { kind: "spread" };
  if (head.count > 1) return { kind: "spread", count: head.count };
  const isList = head.repeated || repeated || /^(?:list|array)\[/i.test(head.placeholder) ||
    /^\[.*\]$/s.test(annotations.default ?? "");
  if (isList) return { kind: "repeated" };
  if (annotations.repeatable) {
    guesses.push("list");
    return { kind: "repeated" };
  }
  if (annotations.commas) {
    guesses.push("list");
    return { kind: "joined", separator: "," };
  }
  return undefined;
}

function guessType(placeholder: string, annotations: HelpAnnotations): ValueType {
  const { default: defaultValue, text } = annotations;
  if (annotations.type !== undefined) return annotations.type === "int" ? "integer" : "number";
  if (annotations.hasUnits) return "string";
  if (/\b(?:delay|timeout|interval|wait)\b/i.test(placeholder) && /\bin seconds\b/i.test(text)) {
    return "number";
  }
  if (integerNames.test(placeholder)) {
    const fits = defaultValue === undefined || /^-?\d+$/.test(defaultValue) ||
      !/\d/.test(defaultValue);
    return fits ? "integer" : /^-?[\d.]+$/.test(defaultValue!) ? "number" : "string";
  }
  if (numberNames.test(placeholder)) return "number";
  if (defaultValue !== undefined && /^-?\d{1,15}$/.test(defaultValue)) return "integer";
  if (defaultValue !== undefined && /^-?\d+\.\d+$/.test(defaultValue)) return "number";
  return "string";
}
