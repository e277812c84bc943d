/**
 * The vocabulary of climax: what a tool is once configuration has been resolved.
 *
 * Everything here is readonly and has its defaults applied. What people write (YAML) has types of
 * its own in `config/`; nothing after `config/resolve.ts` sees those.
 */

/** The types an argument may have, named as in JSON Schema. */
export type ArgType = "string" | "integer" | "number" | "boolean";

/** A coerced argument value. */
export type ArgValue = string | number | boolean;

/** What an argument's value becomes when a command is run; exactly one of these. */
export type ArgRole =
  | { readonly kind: "positional" }
  /** `flag` as it stands on the command line; one that ends in `=` is joined to its value. */
  | { readonly kind: "flag"; readonly flag: string }
  /** The text given to the command on its standard input. */
  | { readonly kind: "stdin" }
  /** The directory the command runs in. */
  | { readonly kind: "cwd" };

/** What a policy demands of an argument's value; everything that is present must hold. */
export interface Constraint {
  /** The whole value, as text, matches. */
  readonly pattern?: Pattern;
  readonly min?: number;
  readonly max?: number;
  /** Absolute path, symbolic links resolved, of the directory that the value must lie in. */
  readonly within?: string;
  /** Whether a positional value may begin with `-`. */
  readonly allowLeadingDash?: boolean;
  /** Whether the value is kept out of logs. */
  readonly secret?: boolean;
}

/** A regular expression that is matched in linear time. */
export interface Pattern {
  /** As the policy has it. */
  readonly source: string;
  /** Whether the whole of `text` matches. */
  matches(text: string): boolean;
}

/** One argument of a tool. */
export interface Arg {
  readonly name: string;
  /** May be empty. */
  readonly description: string;
  readonly type: ArgType;
  readonly required: boolean;
  readonly default?: ArgValue;
  readonly enum?: readonly ArgValue[];
  readonly role: ArgRole;
  readonly constraint?: Constraint;
}

/** The command-line program a tool belongs to, as search and summary show it. */
export interface Cli {
  readonly name: string;
  /** May be empty. */
  readonly description: string;
  readonly category?: string;
  readonly tags: readonly string[];
}

/** How a tool of a command-line program is started. */
export interface CommandSource {
  readonly kind: "command";
  /** Base command and subcommand, one token each, variables expanded. */
  readonly command: readonly [string, ...string[]];
  /** Variables added to the environment the command inherits. */
  readonly env: Readonly<Record<string, string>>;
  /** Directory the command runs in, unless an argument says otherwise; absent: the server's own. */
  readonly workingDir?: string;
  /** Tokens appended after every argument, from the config's `global_args`. */
  readonly globalArgs: readonly string[];
}

/** Where a tool comes from, which decides how a call of it is carried out. */
export type Source = CommandSource;

/** One tool of the catalogue. */
export interface Tool {
  /** Unique in the catalogue. */
  readonly name: string;
  /** May be empty. */
  readonly description: string;
  readonly cli: Cli;
  readonly args: readonly Arg[];
  /** Milliseconds a call may take. */
  readonly timeoutMs: number;
  readonly source: Source;
  /** Calls of this tool that may run at once; absent: as many as there are places. */
  readonly concurrency?: number;
  /** Bytes kept of the beginning, and as many of the end, of each stream; absent: the session's. */
  readonly keepBytes?: number;
  /** The rule of the policy that lets the tool be called; absent: there is no policy. */
  readonly rule?: string;
}
