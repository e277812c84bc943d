/** Drafts a tool from the help of one command, with guesses that a person should check. */

import {
  mainName,
  type OptionHelp,
  type PositionalHelp,
  type ValueHelp,
} from "../help/command_help.ts";
import { wholeSentences } from "../text/sentence.ts";
import { exclusionReason, isOfEveryCommand, type Reason } from "./_excluded_options.ts";
import { type EffectGuess, guessEffect } from "./_effect_guess.ts";
import type { CommandNode } from "./_tree.ts";

/** A tool before it is formatted. */
export interface ToolDraft {
  readonly name: string;
  readonly description: string;
  /** False when the help does not say what the command is for. */
  readonly isDescribed: boolean;
  /** The words behind the program. */
  readonly command: string;
  readonly effect: EffectGuess;
  readonly args: readonly ArgDraft[];
  /** Without it, positional arguments stand in front of options, the default of climax. */
  readonly argv?: readonly (string | readonly string[])[];
  readonly leftOut: readonly ExcludedOption[];
  readonly notes: readonly string[];
}

/** An argument before it is formatted. */
export interface ArgDraft {
  /** Its name in the program: a flag, or `<NAME>`. */
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly role: { readonly kind: "positional" | "placed" | "stdin" } | {
    readonly kind: "flag";
    readonly flag: string;
  };
  /** It is absent for a switch. */
  readonly value?: ValueHelp;
  /** The number of values, when it is fixed. */
  readonly count?: number;
  readonly guesses: readonly string[];
  readonly notes: readonly string[];
}

export interface ExcludedOption {
  readonly name: string;
  readonly reason: Reason;
}

/** Some programs with these layouts of help do not take `--name=value`. */
const partsValues = new Set(["man", "gnu"]);

const maxUsages = 6;

/** If every command has at most this number of options, they stay. */
const fewGlobals = 3;

export function draftTool(node: CommandNode): ToolDraft {
  const { words, help, summary } = node;
  const useful: OptionHelp[] = [];
  const leftOut: ExcludedOption[] = [];
  // A few of them are useful: `gh` has `--repo`
  const keepsGlobals = help.options.filter(isOfEveryCommand).length <= fewGlobals;
  for (const option of help.options) {
    const reason = exclusionReason(option, { program: words[0], keepsGlobals });
    if (reason === undefined) useful.push(option);
    else leftOut.push({ name: mainName(option), reason });
  }
  const taken = new Set<string>(["__proto__"]);
  const notes: string[] = [];
  const positionals = help.positionals.map((each, index) => {
    // Without it, the program would wait for a person
    const required = each.required || index === 0 && help.isInteractiveAlone;
    return positionalDraft({ ...each, required }, taken);
  });
  const passed = positionals.findIndex(({ name }) => /^(?:command|cmd|args?)$/.test(name));
  const own = passed > 0 && !["clap", "click"].includes(help.layout)
    ? positionals.slice(0, passed)
    : positionals;
  if (own.length < positionals.length) {
    notes.push(
      `left out: ${positionals.slice(passed).map(({ key }) => key).join(" ")}: a command to run`,
    );
  }
  const args = [
    ...own,
    ...useful.flatMap((option) => optionDrafts(option, { layout: help.layout, taken })),
    ...(help.mentionsInput ? [inputDraft(taken)] : []),
  ];
  const argv = templateOf(args, { layout: help.layout, isCut: own.length < positionals.length });
  const description = help.description !== "" ? help.description : summary;
  return {
    name: toolName(words),
    description: description === "" ? `Run ${words.join(" ")}` : wholeSentences(description),
    isDescribed: description !== "",
    command: words.slice(1).join(" "),
    effect: guessEffect(words, {
      texts: [summary, help.description].filter((text) => text !== ""),
      options: useful,
      positionals: own.map(({ key, description }) => ({ name: key.slice(1, -1), description })),
    }),
    args,
    ...(argv === undefined ? {} : { argv }),
    leftOut,
    notes: [
      ...(description === "" ? ["its help does not say what it is for: write that"] : []),
      ...(node.sharesHelp
        ? ["prints the help of the command above: which options are its own is not known"]
        : []),
      ...help.otherUsages.slice(0, maxUsages).map((form) =>
        `also called: ${words.join(" ")} ${form}`
      ),
      ...notes,
      ...help.unread.map((line) => `not understood: ${line}`),
    ],
  };
}

/** A program whose help mentions standard input usually reads it. */
function inputDraft(taken: Set<string>): ArgDraft {
  return {
    key: "<standard input>",
    name: makeUnused("input", taken, "text"),
    description: "Text for the program's standard input",
    required: false,
    role: { kind: "stdin" },
    value: { placeholder: "", type: "string", optional: false, guesses: [] },
    guesses: ["stdin"],
    notes: [],
  };
}

function positionalDraft(positional: PositionalHelp, taken: Set<string>): ArgDraft {
  const { name, required, description, value } = positional;
  return {
    key: `<${name}>`,
    name: makeUnused(snake(name) || "value", taken),
    description,
    required,
    role: { kind: "positional" },
    value,
    guesses: value.guesses,
    notes: [],
  };
}

function optionDrafts(
  option: OptionHelp,
  { layout, taken }: { readonly layout: string; readonly taken: Set<string> },
): ArgDraft[] {
  const { value, negations, counted, description, required } = option;
  const main = mainName(option);
  const notes = [
    ...(value?.optional ? ["its value may be left out, which a config cannot express"] : []),
    ...(counted ? ["may be given more than once, which a config cannot express"] : []),
  ];
  const draft: ArgDraft = {
    key: main,
    name: makeUnused(optionName(option), taken, "option"),
    description,
    required: required && value !== undefined,
    role: roleOf(main, option, layout),
    ...(value === undefined ? {} : { value }),
    ...(value?.list?.kind === "spread" && value.list.count ? { count: value.list.count } : {}),
    guesses: value?.guesses ?? [],
    notes,
  };
  // A switch that may be on by default needs its negation
  const offs = value === undefined ? negations.filter((each) => each.startsWith("-")) : [];
  const [off] = offs;
  if (off === undefined || layout === "git") return [draft];
  return [draft, {
    key: off,
    name: makeUnused(
      off.includes("=") ? `no_${optionName(option)}` : optionName({ ...option, names: [off] }),
      taken,
      "option",
    ),
    description: `Opposite of ${draft.name}${description === "" ? "" : `: ${description}`}`,
    required: false,
    role: { kind: "flag", flag: off },
    guesses: [],
    notes: [],
  }];
}

function roleOf(main: string, { value, joined }: OptionHelp, layout: string): ArgDraft["role"] {
  if (value === undefined) return { kind: "flag", flag: main };
  if (value.list?.kind === "spread") return { kind: "placed" };
  const isLong = main.startsWith("--") || layout === "go flag";
  const joins = joined || value.optional || !partsValues.has(layout);
  return { kind: "flag", flag: isLong && joins ? `${main}=` : main };
}

/** Programs with Go's flag package, and programs that pass words on, read no option behind an argument. */
function templateOf(
  args: readonly ArgDraft[],
  { layout, isCut }: { readonly layout: string; readonly isCut: boolean },
): (string | readonly string[])[] | undefined {
  const placed = args.filter(({ role }) => role.kind === "placed");
  const positionals = args.filter(({ role }) => role.kind === "positional");
  const isLast = (layout === "go flag" || isCut) && positionals.length > 0;
  if (placed.length === 0 && !isLast) return undefined;
  return [
    "{...}",
    ...placed.map(({ key, name, required }) => [key, `{${name}${required ? "" : "?"}}`]),
    ...(isLast ? positionals.map(({ name, required }) => `{${name}${required ? "" : "?"}}`) : []),
  ];
}

/** Some clients take no longer names of tools. */
const maxName = 64;

/** Joins words to a name: `gh issue list` → `gh_issue_list`. */
export function toolName(words: readonly string[]): string {
  const program = words[0]!.split(/[\\/]/).at(-1)!.replace(/\.(?:exe|cmd|bat|py|js|sh)$/i, "");
  return snake([program, ...words.slice(1)].join("_")).slice(0, maxName) || "tool";
}

/** Names an option: `--max-count` → `max_count`. An option of one letter has the name of its value, or its letter. */
function optionName(option: OptionHelp): string {
  const name = mainName(option).replace(/^-+/, "");
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

/** Adds a number to `name` when it is `taken`, and adds the result to `taken`. */
export function makeUnused(name: string, taken: Set<string>, suffix = ""): string {
  let candidate = name;
  if (taken.has(candidate) && suffix !== "") candidate = `${name}_${suffix}`;
  for (let number = 2; taken.has(candidate); number++) candidate = `${name}_${number}`;
  taken.add(candidate);
  return candidate;
}

function snake(text: string): string {
  return text
    .replace(/([a-z\d])([A-Z])/g, "$1_$2")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .replace(/^_|_$/g, "")
    .toLowerCase();
}
