/**
 * Typed values → the command line, the standard input and the directory of one run.
 *
 * Every value becomes exactly one token, or part of exactly one: nothing is split, joined to a
 * neighbour or read by a shell.
 */

import type { Arg, ArgValue, CommandSource } from "../../tool/tool.ts";
import type { CoercedArgs } from "../../call/coerce.ts";

/** What the values of the arguments come to. */
export interface CommandLine {
  /** Program first. */
  readonly argv: readonly [string, ...string[]];
  /** Text for the command's standard input. */
  readonly stdin?: string;
  /** Directory an argument asked for. */
  readonly cwd?: string;
}

/**
 * Builds the command line: command, positional arguments in definition order, flags in definition
 * order, global arguments.
 */
export function buildArgv(
  source: CommandSource,
  args: readonly Arg[],
  values: CoercedArgs,
): CommandLine {
  const positionals: string[] = [];
  const flags: string[] = [];
  let stdin: string | undefined;
  let cwd: string | undefined;
  for (const arg of args) {
    const value = values.get(arg.name);
    if (value === undefined) continue;
    const { role } = arg;
    switch (role.kind) {
      case "positional":
        positionals.push(String(value));
        break;
      case "flag":
        flags.push(...flagTokens(role.flag, value));
        break;
      case "stdin":
        stdin = String(value);
        break;
      case "cwd":
        cwd = String(value);
        break;
    }
  }
  return {
    argv: [...source.command, ...positionals, ...flags, ...source.globalArgs],
    ...(stdin === undefined ? {} : { stdin }),
    ...(cwd === undefined ? {} : { cwd }),
  };
}

function flagTokens(flag: string, value: ArgValue): string[] {
  if (typeof value === "boolean") return value ? [flag] : [];
  return flag.endsWith("=") ? [flag + String(value)] : [flag, String(value)];
}
