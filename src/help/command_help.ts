/**
 * What a program's own help says of one command, whatever the layout it was printed in. Nothing
 * here is a config yet: what is a guess is marked as one, and nothing has been left out.
 */

/** The types a value may have, named as a config has them. */
export type ValueType = "string" | "integer" | "number";

/** How several values are given to one option. */
export type ListForm =
  /** The option again for each value. */
  | { readonly kind: "repeated" }
  /** One value, in which they are joined. */
  | { readonly kind: "joined"; readonly separator: string }
  /** One token each behind one option; `count` where it takes a fixed number. */
  | { readonly kind: "spread"; readonly count?: number };

/** The value an option or a positional argument takes. */
export interface ValueHelp {
  /** The word that stands for the value, without its brackets; may be empty. */
  readonly placeholder: string;
  readonly type: ValueType;
  /** Whether the option may stand without its value. */
  readonly optional: boolean;
  readonly list?: ListForm;
  readonly choices?: readonly string[];
  readonly default?: string;
  /** What of all this the help does not say in so many words. */
  readonly guesses: readonly string[];
}

/** One option. */
export interface OptionHelp {
  /** As they stand on the command line, in the order of the help; at least one. */
  readonly names: readonly [string, ...string[]];
  /** The names that switch it off. */
  readonly negations: readonly string[];
  /** Absent: the option is a switch. */
  readonly value?: ValueHelp;
  readonly required: boolean;
  /** Whether giving a switch more than once means more. */
  readonly counted: boolean;
  /** Whether the help itself joins a value with `=`. */
  readonly joined: boolean;
  readonly description: string;
  /** The heading it stands under; may be empty. */
  readonly section: string;
}

/** One positional argument. */
export interface PositionalHelp {
  readonly name: string;
  readonly required: boolean;
  readonly description: string;
  readonly value: ValueHelp;
}

/** A command below this one. */
export interface SubcommandHelp {
  readonly name: string;
  readonly description: string;
  /** What stands behind its name, such as `[FILE...]`; may be empty. */
  readonly usage: string;
}

/** What one help text says. */
export interface CommandHelp {
  /** Name of the layout it was read as. */
  readonly layout: string;
  /** First paragraph; may be empty. */
  readonly description: string;
  readonly options: readonly OptionHelp[];
  readonly positionals: readonly PositionalHelp[];
  readonly subcommands: readonly SubcommandHelp[];
  /** Whether it does nothing but hold its subcommands. */
  readonly isGroup: boolean;
  /** Whether the text speaks of standard input. */
  readonly mentionsInput: boolean;
  /** Lines that look like the beginning of an option. */
  readonly optionLines: number;
  /** Those that could not be read. */
  readonly unread: readonly string[];
  /** Ways to call the command that the positionals do not show, or not all of. */
  readonly otherUsages: readonly string[];
}

/** The name an option is known by: the first long one, or else the first. */
export function mainName({ names }: Pick<OptionHelp, "names">): string {
  return names.find((name) => name.startsWith("--")) ??
    names.find((name) => name.length > 2) ?? names[0];
}
