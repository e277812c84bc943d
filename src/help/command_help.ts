/** The types of what climax has read from the help text of a command, the same for all layouts of help. */

export type ValueType = "string" | "integer" | "number";

export type ListForm =
  | { readonly kind: "repeated" }
  | { readonly kind: "joined"; readonly separator: string }
  | { readonly kind: "spread"; readonly count?: number };

export interface ValueHelp {
  readonly placeholder: string;
  readonly type: ValueType;
  readonly optional: boolean;
  readonly list?: ListForm | undefined;
  readonly choices?: readonly string[] | undefined;
  readonly default?: string | undefined;
  /** Properties of the value, such as `type`, that climax guessed because the help does not state them. */
  readonly guesses: readonly string[];
}

export interface OptionHelp {
  readonly names: readonly [string, ...string[]];
  /** Names that turn a switch off, such as `--no-color`. */
  readonly negations: readonly string[];
  readonly value?: ValueHelp | undefined;
  readonly required: boolean;
  /** True when the help text shows the option with `=`, as in `--color=WHEN`. */
  readonly joined: boolean;
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
  /** The help of the subcommand, if the program prints it inside of the help of the parent command. */
  readonly help?: CommandHelp;
}

export interface CommandHelp {
  readonly layout: string;
  readonly description: string;
  readonly options: readonly OptionHelp[];
  readonly positionals: readonly PositionalHelp[];
  readonly lostPositionals: readonly string[];
  readonly subcommands: readonly SubcommandHelp[];
  readonly isGroup: boolean;
  readonly mentionsInput: boolean;
  /** True when the program, called without arguments, waits for input of a person. */
  readonly isInteractiveAlone: boolean;
  readonly optionLines: number;
  readonly unread: readonly string[];
  /** Lines that look like options or commands, and could not be read: the draft of a config lacks them. */
  readonly lost: readonly string[];
  readonly dropped: readonly string[];
  readonly optionsFirst: boolean;
  /** Usage lines whose arguments differ from those that were read, such as `mv -t DIRECTORY FILE…`. */
  readonly otherUsages: readonly string[];
}

export function mainName({ names }: Pick<OptionHelp, "names">): string {
  return names.find((name) => /^--(?=.*[aeiouy]).{3}/i.test(name)) ??
    names.find((name) => name.startsWith("--")) ??
    names.find((name) => name.length > 2) ?? names[0];
}
