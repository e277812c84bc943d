/** The shape of a command's file and of the table of commands, which those files do not import. */

import type { Command } from "@commander-js/extra-typings";
import type { ExitCode } from "../errors.ts";

/** What the file of a command exports. */
export interface CommandModule {
  /** Gives a command its arguments and options. */
  define(command: Command): unknown;
  /** Command lines that stand in its help, each with what it does. */
  readonly examples: readonly Example[];
  /** Does what was asked, with the {@linkcode CommandArguments} of `grammar`. */
  run(...words: never): Promise<ExitCode>;
}

/** A command line as a POSIX shell takes it, without `climax`, and what it does. */
export type Example = readonly [line: string, does: string];

/**
 * The parameters of a command's action: the arguments and the options that its grammar has, those
 * of the arguments that stand after `--`, if it was given, and the table of all commands.
 */
export type CommandArguments<Grammar extends (command: Command) => unknown> =
  ReturnType<Grammar> extends Command<infer Arguments, infer Options>
    ? [...Arguments, Options, ...Surroundings]
    : never;

/** What every action gets after its arguments and options. */
export type Surroundings = [dashed: readonly string[] | undefined, table: CommandTable];

/** A line of the table. */
export interface CommandEntry {
  /** One word, or two with a space between. */
  readonly name: string;
  /** What it is for, below 60 characters; absent for what only programs call. */
  readonly summary: string | undefined;
  load(): Promise<CommandModule>;
}

/** All commands, as an action gets them. */
export interface CommandTable {
  /** By name. */
  readonly commands: ReadonlyMap<string, CommandEntry>;
  /** By heading, in the order that help has. */
  readonly groups: ReadonlyMap<string, readonly CommandEntry[]>;
  /** Options that stand for a command when they come first. */
  readonly flags: ReadonlyMap<string, string>;
  /** Finds the command that `args` begin with. */
  divide(args: readonly string[]): ParsedCommandLine;
}

/** A command line, divided. */
export interface ParsedCommandLine {
  readonly command: CommandEntry;
  /** The words that follow the command's name. */
  readonly words: readonly string[];
  /** Whether the command is the default one because no name was given. */
  readonly implied: boolean;
}
