/** The content of a help text in a form that is the same for every layout, with guesses marked. */

export type ValueType = "string" | "integer" | "number";

/** An option with several values is repeated, has them joined in one word, or precedes several words. */
export type ListForm =
  | { readonly kind: "repeated" }
  | { readonly kind: "joined"; readonly separator: string }
  | { readonly kind: "spread"; readonly count?: number };

export interface ValueHelp {
  readonly placeholder: string;
  readonly type: ValueType;
  /** True when the option may be given without its value. */
  readonly optional: boolean;
  readonly list?: ListForm | undefined;
  readonly choices?: readonly string[] | undefined;
  readonly default?: string | undefined;
  /** The properties that were guessed, as the help does not state them. */
  readonly guesses: readonly string[];
}

export interface OptionHelp {
  readonly names: readonly [string, ...string[]];
  /** The names that switch the option off. */
  readonly negations: readonly string[];
  readonly value?: ValueHelp | undefined;
  readonly required: boolean;
  /** True when the help joins the name and the value with `=`. */
  readonly joined: boolean;
  /** The text between a name and its value if that follows without a blank or `=`: `:` in `-proc:none`. */
  readonly glue?: string | undefined;
  readonly description: string;
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
  readonly name: string;
  readonly description: string;
  readonly usage: string;
  /** The help of the command, if the help of its parent has it. */
  readonly help?: CommandHelp;
}

export interface CommandHelp {
  readonly layout: string;
  readonly description: string;
  readonly options: readonly OptionHelp[];
  readonly positionals: readonly PositionalHelp[];
  /** Positional arguments that the text seems to have, and that could not be read. */
  readonly lostPositionals: readonly string[];
  readonly subcommands: readonly SubcommandHelp[];
  readonly isGroup: boolean;
  readonly mentionsInput: boolean;
  /** True when the program waits for a person if it has no arguments. */
  readonly isInteractiveAlone: boolean;
  readonly optionLines: number;
  readonly unread: readonly string[];
  /** Lines that look like rows of a table, and from which nothing was read. */
  readonly lost: readonly string[];
  /** Commands about the program itself, such as `completion`. */
  readonly dropped: readonly string[];
  /** True when the usage has options in front of the first positional argument. */
  readonly optionsFirst: boolean;
  /** Forms of a call that the positional arguments do not cover. */
  readonly otherUsages: readonly string[];
}

/** Returns the first long name that is no abbreviation such as `--df`, or else the first name. */
export function mainName({ names }: Pick<OptionHelp, "names">): string {
  return names.find((name) => /^--(?=.*[aeiouy]).{3}/i.test(name)) ??
    names.find((name) => name.startsWith("--")) ??
    names.find((name) => name.length > 2) ?? names[0];
}
