/** The content of a help text in a form that is the same for every layout, with guesses marked. */

/** The types of a value, named as in a config. */
export type ValueType = "string" | "integer" | "number";

/** The ways to give several values to one option. */
export type ListForm =
  /** The option is repeated with each value. */
  | { readonly kind: "repeated" }
  /** The option has one value, in which several are joined. */
  | { readonly kind: "joined"; readonly separator: string }
  /** Several words follow one option; `count` is their number if it is fixed. */
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
  /** The names as on the command line, in the order of the help; at least one. */
  readonly names: readonly [string, ...string[]];
  /** The names that switch the option off. */
  readonly negations: readonly string[];
  /** The value of the option; absent for a switch. */
  readonly value?: ValueHelp;
  readonly required: boolean;
  /** True when the help itself joins a value with `=`. */
  readonly joined: boolean;
  /** The text between a name and its value if that follows without a blank or `=`: `:` in `-proc:none`. */
  readonly glue?: string;
  readonly description: string;
  /** The heading above the option; may be empty. */
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
  /** The name of the command, which may have several words. */
  readonly name: string;
  readonly description: string;
  /** The usage after the name, such as `[FILE...]`; may be empty. */
  readonly usage: string;
  /** The help of the command, if the same text has it. */
  readonly help?: CommandHelp;
}

export interface CommandHelp {
  readonly layout: string;
  /** The first paragraph; may be empty. */
  readonly description: string;
  readonly options: readonly OptionHelp[];
  readonly positionals: readonly PositionalHelp[];
  /** The names of positional arguments that the text may have, and that are not in `positionals`. */
  readonly lostPositionals: readonly string[];
  readonly subcommands: readonly SubcommandHelp[];
  readonly isGroup: boolean;
  readonly mentionsInput: boolean;
  /** True when the text says that the program waits for a person if it has no arguments. */
  readonly isInteractiveAlone: boolean;
  /** The number of lines that look like the start of an option. */
  readonly optionLines: number;
  /** The lines with an option that could not be read. */
  readonly unread: readonly string[];
  /** These lines look like rows of a table, and no option or command was read from them. */
  readonly lost: readonly string[];
  /** The names of commands about the program itself, which are no subcommands. */
  readonly dropped: readonly string[];
  /** True when the usage has options in front of the first positional argument. */
  readonly optionsFirst: boolean;
  /** The forms that the positional arguments do not cover. */
  readonly otherUsages: readonly string[];
}

/** Returns the main name of an option: the first long one that is no abbreviation such as `--df`, or else the first. */
export function mainName({ names }: Pick<OptionHelp, "names">): string {
  return names.find((name) => /^--(?=.*[aeiouy]).{3}/i.test(name)) ??
    names.find((name) => name.startsWith("--")) ??
    names.find((name) => name.length > 2) ?? names[0];
}
