/** Types of a command and of the table of commands. Commands cannot import the table, because the table loads them. */

import type { Command, OptionValues } from "@commander-js/extra-typings";
import type { ExitCode } from "../errors.ts";

export type { Command };

export interface CommandModule<Words extends unknown[] = never> {
  define(command: Command): unknown;
  readonly examples: readonly Example[];
  arrange?(words: readonly string[]): readonly string[];
  run(...words: Words): Promise<ExitCode>;
}

export type Example = readonly [line: string, does: string];

export function command<Arguments extends unknown[], Options extends OptionValues>(
  module: CommandModule<[...Arguments, Options, ...Surroundings]> & {
    define(command: Command): Command<Arguments, Options>;
  },
): CommandModule {
  return module;
}

export type CommandArguments<Grammar extends (command: Command) => unknown> =
  ReturnType<Grammar> extends Command<infer Arguments, infer Options>
    ? [...Arguments, Options, ...Surroundings]
    : never;

type Surroundings = [dashed: readonly string[] | undefined, table: CommandTable];

export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  load(): Promise<CommandModule>;
}

export interface CommandTable {
  readonly commands: ReadonlyMap<string, CommandEntry>;
  /** The commands under their headings, in the order of `help --all`. */
  readonly groups: ReadonlyMap<string, readonly CommandEntry[]>;
  readonly flags: ReadonlyMap<string, string>;
  divide(args: readonly string[]): {
    readonly command: CommandEntry;
    readonly words: readonly string[];
    readonly implied?: string;
  };
}
