/** Drafts the arguments of a tool from the options and positional arguments that a help text lists. */

import {
  mainName,
  type OptionHelp,
  type PositionalHelp,
  type ValueHelp,
} from "../help/command_help.ts";
import { isLoaded } from "./_code_options.ts";
import { bareName, type EffectGuess, isPathName, optionEffect } from "./_effect_guess.ts";
import { exclusionReason, namesFiles } from "./_excluded_options.ts";
import type { CommandNode, PlacedOption } from "./_tree.ts";

export interface ArgDraft {
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly role:
    | { readonly kind: "positional" | "stdin" }
    | { readonly kind: "flag"; readonly flag: string }
    | { readonly kind: "placed"; readonly glued?: string };
  readonly value?: ValueHelp | undefined;
  readonly behind?: number | undefined;
  readonly keys: Readonly<Record<string, string>>;
  readonly guesses: readonly string[];
}

export const permuting = new Set("click clap cobra commander yargs oclif git npm".split(" "));

export function inputDraft(taken: Set<string>): ArgDraft {
  return {
    key: "<standard input>",
    name: makeUnused("input", taken, "text"),
    description: "Text for the program's standard input",
    required: false,
    role: { kind: "stdin" },
    value: { placeholder: "", type: "string", optional: false, guesses: [] },
    keys: {},
    guesses: ["stdin"],
  };
}

export function positionalDraft(
  positional: PositionalHelp,
  taken: Set<string>,
  node: CommandNode,
): ArgDraft {
  const { name, required, description, value } = positional;
  return {
    key: `<${name}>`,
    name: makeUnused(snake(name) || "value", taken),
    description,
    required,
    role: { kind: "positional" },
    value,
    // date takes its format as `+FORMAT`, so the value must begin with the plus sign
    keys: name.startsWith("+")
      ? { pattern: '"(?s)\\\\+.*"' }
      : limitsOf(value, { name, description, node, isOption: false, isWord: true }),
    guesses: value.guesses,
  };
}

/** Returns true for a help text as GNU's parsers print it. They accept `--`, and read no options from a file. */
export function isGnu(text: string): boolean {
  return /^ *mandatory (?:or optional )?arguments to long options|^usage: \S+ \[OPTION\.\.\.\]/im
    .test(text) && !optionFiles.test(text);
}

/** Matches help texts of programs that take `@FILE` as a file of further arguments, which a call must not name. */
const optionFiles =
  /(?:^|[\s"'`([])@[<[{]?(?:[\w-]*files?|path)\b|\b(?:argument|arg|response|param(?:eter)?)[- ]?files?\b|\b(?:starts?|begins?|starting|beginning|prefix\w*|preced\w*) [^.\n]{0,40}@|@\W[^.\n]{0,20}\bprefix|Show context-sensitive help|Print version information and exit\.|Show help and usage information|^OVERVIEW: /im;

const withoutFiles = new Set([...permuting, "argparse", "go flag", "thor"]);
const usages = /^usage: \S+ \[OPTION\]\.\.\.|^usage:\n +(\S+) .*\[options\].*\n(?: +\1 .*\n)+/im;

function prefixesIn({ text, language, help: { layout } }: CommandNode): string {
  const takesFile = language === "java" || optionFiles.test(text) ||
    !(withoutFiles.has(layout) || isGnu(text) || usages.test(text));
  const takesPlus = language === "perl" || /--\[no-?\]|(?:^|[\s|[(])\+[\w<[{]/.test(text);
  return (takesFile ? "@" : "") + (takesPlus ? "+" : "");
}

const fileText =
  /\b(?:path|location) (?:to|of) (?:the|an?|your)\b|\b(?:another|in the given|at the given) (?:path|directory|folder)\b|\b(?:in|from|use) file [A-Z]\b|\b(?:output|written|saved|stored) (?:in)?to the (?:specified|given) (?:path|location)\b|^(?:also )?(?:append|export|load|log|output|read|save|store|write)s?\b[^.;]*\b(?:to|into|from) (?:an? |the )?(?:[\w-]+ )?(?:files?|directory|folder)\b|^(?:the |an? )?(?:[\w-]+ )?(?:(?:file|dir(?:ectory)?|folder)(?: ?name| path)|(?:file|directory|folder)(?= (?:to|where|with|in|for|that|which|containing)\b|[.,;(]|$))/i;

const endpoints = /^(?:paths?|(?:in|inp|out|src|source|dst|dest|destination)(?:put|[-_]?file)?)$/i;
const fileWord = /^$|\b(?:files?|filenames?|dir|director(?:y|ies)|folders?|disk|where)\b/i;

const noFile =
  /^(?!(?:\S+ )?(?:the |an? )?(?:[\w-]+ )?(?:file|directory|folder) (?:containing|that|with)\b).*(?:(?<![a-z])UR[IL]s?(?![a-z])|https?:|(?<!\bwhere (?:to )?\w+ )\bmodules?\b|\bglobs?\b|\bpatterns?\b|\b(?:API|HTTP|JSON|XML|endpoint|route)s? path|\bXPath)/i;

/** Returns true if the value of an argument is probably a path, judged by its placeholder, default, name and text. */
export function namesPath(
  { placeholder, default: preset = "" }: ValueHelp,
  name: string,
  description: string,
): boolean {
  const isKind = /^(?:action|format|glob|kind|level|mode|pattern|regexp?|size|style|type|when)$/i
    .test(placeholder);
  const isNamed = !isKind &&
    (isPathName(placeholder) || isPathName(name) && !/^paths?$|colou?r/i.test(name) ||
      endpoints.test(name) && fileWord.test(description) ||
      /^output$/i.test(name) && /\bpath\b/i.test(description) ||
      [preset, /`([^`]*)`/.exec(description)?.[1] ?? ""].some((each) =>
        /^\.{1,2}\/[\w./-]*$/.test(each)
      ));
  return preset !== "/" && (isNamed || fileText.test(description)) &&
    !noFile.test(`${name} ${description}`);
}

/**
 * Returns keys such as `pattern` and `within`, which keep a value from being read as an option or from leaving the
 * folder.
 */
function limitsOf(
  value: ValueHelp,
  { name, description, node, isOption, isWord }: Pick<PositionalHelp, "name" | "description"> & {
    readonly node: CommandNode;
    readonly isOption: boolean;
    /** True if the value is a whole word of the command line, which a program could read as an option. */
    readonly isWord: boolean;
  },
): ArgDraft["keys"] {
  const { type, choices, default: preset = "" } = value;
  if (choices !== undefined) return {};
  const refused = (isOption ? "-" : "") + prefixesIn(node);
  // find takes `+5`, `-5` and `5k` as numbers: the sign compares, and the letter is a unit
  const isSigned = /\bN can be \+N or -N\b/.test(node.text);
  const isNegative = isSigned || /^-[\d.]/.test(preset) ||
    (type !== "string" || !isWord) && /(?:^|[\s"'`(=])-[\d.]/.test(description);
  if (type !== "string") return isWord && !isNegative ? { min: "0" } : {};
  const may = (isOption ? "-?|" : "|") +
    (isNegative ? `-[0-9.]+${isSigned ? "[a-zA-Z]?" : ""}|` : "");
  return {
    ...(namesPath(value, name, description) ? { within: "." } : {}),
    ...(refused === "" ? {} : { pattern: `"(?s)${may}[^${refused}].*"` }),
  };
}

interface OptionContext {
  readonly node: CommandNode;
  readonly effect: EffectGuess["effect"];
  readonly taken: Set<string>;
  readonly bound: OptionHelp | undefined;
}

export function optionDrafts(
  option: PlacedOption,
  { node, taken, effect, bound }: OptionContext,
): ArgDraft[] {
  const { words: [program], help: { layout } } = node;
  const { value, negations, description } = option;
  const main = mainName(option);
  const role = roleOf(main, option, layout);
  const isWord = role.kind === "flag" && !role.flag.endsWith("=") &&
    !/^(?:click|clap|cobra|commander|go flag|git)$/.test(layout);
  const own = optionEffect(option);
  const loads = isLoaded(option, node);
  const isPutBack = loads || /^(?:can|may) /.test(exclusionReason(option, node) ?? "");
  const isPath = loads || [bareName(option), value?.placeholder ?? ""].some(isPathName) ||
    /\bpaths? (?:to|of)\b|\bfrom (?:an? |the |this )?<?file\b/i.test(description);
  const draft: ArgDraft = {
    key: main,
    name: makeUnused(optionName(option), taken, "option"),
    description,
    behind: option.behind,
    required: (option.required || option === bound) && value !== undefined,
    role,
    value,
    keys: {
      ...(value && limitsOf(value, {
        ...{ name: bareName(option), description, node, isOption: true, isWord },
      })),
      // In a file's name, `:` may mean another machine (tar), and a leading `|` a command (psql), so drafts refuse both
      ...(namesFiles(option, program) ? { within: ".", excludes: '[":", "|"]' } : {}),
      ...(value?.type === "string" && !value.choices && isPutBack && isPath ? { within: "." } : {}),
      ...(isPutBack
        ? { effect: "destructive # guess" }
        : own === "destructive" && effect !== own || own === "write" && effect === "read"
        ? { effect: `${own} # guess` }
        : {}),
      ...(option === bound && value === undefined ? { value: "true" } : {}),
    },
    guesses: value?.guesses ?? [],
  };
  if (value?.optional) {
    // An option with an optional value becomes two arguments of the tool: a switch, and the option with a value
    const { value: _value, keys: { effect: own = "" }, ...rest } = draft;
    const keys = own === "" ? {} : { effect: own };
    return [
      { ...rest, required: false, role: { kind: "flag", flag: main }, guesses: [], keys },
      { ...draft, name: makeUnused(`${draft.name}_value`, taken) },
    ];
  }
  // A switch that can be turned off, as by `--no-color`, becomes two arguments, since it may be on by default
  const off = negations.find((each) => each.startsWith("-"));
  if (value !== undefined || off === undefined || layout === "git") return [draft];
  return [draft, {
    ...draft,
    key: off,
    name: makeUnused(
      off.includes("=") ? `no_${optionName(option)}` : optionName({ ...option, names: [off] }),
      taken,
      "option",
    ),
    description: `Opposite of ${draft.name}${description === "" ? "" : `: ${description}`}`,
    role: { kind: "flag", flag: off },
  }];
}

function roleOf(
  main: string,
  { value, joined, glue }: OptionHelp,
  layout: string,
): ArgDraft["role"] {
  if (value === undefined) return { kind: "flag", flag: main };
  const isSpread = value.list?.kind === "spread" ||
    value.optional && value.list?.kind === "repeated" && !value.guesses.includes("list") &&
      !joined && glue === undefined;
  if (isSpread) return { kind: "placed" };
  const isLong = main.startsWith("--") || layout === "go flag";
  if (glue !== undefined || value.optional && !isLong) {
    return { kind: "placed", glued: main + (glue ?? "") };
  }
  // Some programs whose help looks like that of GNU do not accept `--name=value`, so name and value are two words
  const joins = joined || value.optional || layout !== "man" && layout !== "gnu";
  return { kind: "flag", flag: isLong && joins ? `${main}=` : main };
}

function optionName(option: OptionHelp): string {
  const name = bareName(option);
  if (name.length > 1) return snake(name) || "option";
  const placeholder = snake((option.value?.placeholder ?? "").split("=")[0]!);
  if (
    placeholder.length > 2 &&
    !/^(?:string|value|text|arg|name|file|path|int|num|number)$/.test(placeholder)
  ) {
    return placeholder;
  }
  if (/[A-Z]/.test(name)) return `upper_${name.toLowerCase()}`;
  return /[a-z]/.test(name) ? name : `flag_${snake(name) || name.codePointAt(0)}`;
}

export function makeUnused(name: string, taken: Set<string>, suffix = ""): string {
  let candidate = name;
  if (taken.has(candidate) && suffix !== "") candidate = `${name}_${suffix}`;
  for (let number = 2; taken.has(candidate); number++) candidate = `${name}_${number}`;
  taken.add(candidate);
  return candidate;
}

export function snake(text: string): string {
  return text
    .replace(/([a-z\d])([A-Z])/g, "$1_$2")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .replace(/^_|_$/g, "")
    .toLowerCase();
}
