/** The shape of a command and of the table of commands. The files of commands do not import the table. */

import type { Command, OptionValues } from "@commander-js/extra-typings";
import type { ExitCode } from "../errors.ts";

export type { Command };

export interface CommandModule {
  define(command: Command): unknown;
  readonly examples: readonly Example[];
  /** Returns the words to read in the place of `words`, where some of them belong to another program. */
  arrange?(words: readonly string[]): readonly string[];
  /** Runs the command with the {@linkcode CommandArguments} of `define`. */
  run(...words: never): Promise<ExitCode>;
}

/** A command line for a POSIX shell, without `climax`, and a description of what it does. */
export type Example = readonly [line: string, does: string];

/** Returns `module`; the compiler checks that its `run` takes what its `define` declares. */
export function command<Arguments extends unknown[], Options extends OptionValues>(module: {
  define(command: Command): Command<Arguments, Options>;
  readonly examples: readonly Example[];
  arrange?(words: readonly string[]): readonly string[];
  run(...words: [...Arguments, Options, ...Surroundings]): Promise<ExitCode>;
}): CommandModule {
  return module;
}

/** The parameters of `run`: the values that `define` declares, the words after `--`, and the table of commands. */
export type CommandArguments<Grammar extends (command: Command) => unknown> =
  ReturnType<Grammar> extends Command<infer Arguments, infer Options>
    ? [...Arguments, Options, ...Surroundings]
    : never;

/** The parameters of `run` that are the same for every command. */
type Surroundings = [dashed: readonly string[] | undefined, table: CommandTable];

export interface CommandEntry {
  /** The name is one word, or two with a space between. */
  readonly name: string;
  /** The purpose of the command, in fewer than 60 characters. */
  readonly summary: string;
  load(): Promise<CommandModule>;
}

export interface CommandTable {
  readonly commands: ReadonlyMap<string, CommandEntry>;
  /** The commands by heading, in the order that help has. */
  readonly groups: ReadonlyMap<string, readonly CommandEntry[]>;
  /** Options that stand for a command when they come first. */
  readonly flags: ReadonlyMap<string, string>;
  divide(args: readonly string[]): ParsedCommandLine;
}

export interface ParsedCommandLine {
  readonly command: CommandEntry;
  readonly words: readonly string[];
  /** The default command was meant, and this word stood where a name would stand; it may be empty. */
  readonly implied?: string;
}
