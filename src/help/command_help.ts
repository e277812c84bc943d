/** The content of a help text has the same form for every layout, in which guesses are marked. */

/** The types of a value, named as in a config. */
export type ValueType = "string" | "integer" | "number";

/** The way to give several values to one option. */
export type ListForm =
  /** The option is repeated for each value. */
  | { readonly kind: "repeated" }
  /** One value, in which they are joined. */
  | { readonly kind: "joined"; readonly separator: string }
  /** Several words behind one option; `count` when their number is fixed. */
  | { readonly kind: "spread"; readonly count?: number };

export interface ValueHelp {
  /** The placeholder of the value, without its brackets; may be empty. */
  readonly placeholder: string;
  readonly type: ValueType;
  /** True when the option may be given without its value. */
  readonly optional: boolean;
  readonly list?: ListForm;
  readonly choices?: readonly string[];
  readonly default?: string;
  /** The properties that the help does not state explicitly. */
  readonly guesses: readonly string[];
}

export interface OptionHelp {
  /** As on the command line, in the order of the help; at least one. */
  readonly names: readonly [string, ...string[]];
  /** The names that switch it off. */
  readonly negations: readonly string[];
  /** Absent for a switch. */
  readonly value?: ValueHelp;
  readonly required: boolean;
  /** True when the help itself joins a value with `=`. */
  readonly joined: boolean;
  /** The text between name and value if the value continues the name without `=`: `:` in `-proc:none`. */
  readonly glue?: string;
  readonly description: string;
  /** The heading above it; may be empty. */
  readonly section: string;
  readonly inUsage: boolean;
}

export interface PositionalHelp {
  readonly name: string;
  readonly required: boolean;
  readonly description: string;
  readonly value: ValueHelp;
}

export interface SubcommandHelp {
  /** The name may have several words. */
  readonly name: string;
  readonly description: string;
  /** The usage behind its name, such as `[FILE...]`; may be empty. */
  readonly usage: string;
  /** The help of the command, if the same text has it. */
  readonly help?: CommandHelp;
}

export interface CommandHelp {
  readonly layout: string;
  /** First paragraph; may be empty. */
  readonly description: string;
  readonly options: readonly OptionHelp[];
  readonly positionals: readonly PositionalHelp[];
  /** Names of positional arguments that the text seems to have and that are not in `positionals`. */
  readonly lostPositionals: readonly string[];
  readonly subcommands: readonly SubcommandHelp[];
  readonly isGroup: boolean;
  readonly mentionsInput: boolean;
  /** True when the text says that it waits for a person if it has no arguments. */
  readonly isInteractiveAlone: boolean;
  /** Lines that look like the start of an option. */
  readonly optionLines: number;
  /** Those that could not be read. */
  readonly unread: readonly string[];
  /** These lines look like rows of a table, and no option or command was read from them. */
  readonly lost: readonly string[];
  /** The names of commands about the program itself, which are no subcommands. */
  readonly dropped: readonly string[];
  /** True when the usage has options in front of the first positional argument. */
  readonly optionsFirst: boolean;
  /** Forms that the positional arguments do not cover. */
  readonly otherUsages: readonly string[];
}

/** Returns the main name of an option: the first long one that is no abbreviation such as `--df`, or else the first. */
export function mainName({ names }: Pick<OptionHelp, "names">): string {
  return names.find((name) => /^--(?=.*[aeiouy]).{3}/i.test(name)) ??
    names.find((name) => name.startsWith("--")) ??
    names.find((name) => name.length > 2) ?? names[0];
}
