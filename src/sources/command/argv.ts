/**
 * Typed values → the command line, the standard input and the directory of one run.
 *
 * Every value becomes exactly one token, or part of exactly one: nothing is split, joined to a
 * neighbour or read by a shell. Each token carries the form in which logs may have it.
 */

import { type CommandTokens, plain, type Token } from "../../exec/invocation.ts";
import type { Arg, ArgValue, ArgValues } from "../../tool/tool.ts";
import type { CommandSource } from "./source.ts";

/** What the values of the arguments come to. */
export interface CommandLine {
  /** Program first. */
  readonly argv: CommandTokens;
  /** Text for the command's standard input. */
  readonly stdin?: string;
  /** Directory an argument asked for. */
  readonly cwd?: Token;
}

const mask = "***";

/**
 * Builds the command line: command, positional arguments in definition order, flags in definition
 * order, global arguments.
 */
export function buildArgv(
  source: CommandSource,
  args: readonly Arg[],
  values: ArgValues,
): CommandLine {
  const positionals: Token[] = [];
  const flags: Token[] = [];
  let stdin: string | undefined;
  let cwd: Token | undefined;
  for (const arg of args) {
    const value = values.get(arg.name);
    if (value === undefined) continue;
    const { role } = arg;
    switch (role.kind) {
      case "positional":
        positionals.push(valueToken(arg, value));
        break;
      case "flag":
        flags.push(...flagTokens(arg, role.flag, value));
        break;
      case "stdin":
        stdin = String(value);
        break;
      case "cwd":
        cwd = valueToken(arg, value);
        break;
    }
  }
  const [program, ...words] = source.command;
  return {
    argv: [
      plain(program),
      ...words.map(plain),
      ...positionals,
      ...flags,
      ...source.globalArgs.map(plain),
    ],
    ...(stdin === undefined ? {} : { stdin }),
    ...(cwd === undefined ? {} : { cwd }),
  };
}

function valueToken({ constraint }: Arg, value: ArgValue, prefix = ""): Token {
  const text = prefix + String(value);
  return { text, shown: constraint?.secret ? prefix + mask : text };
}

function flagTokens(arg: Arg, flag: string, value: ArgValue): Token[] {
  if (typeof value === "boolean") return value ? [plain(flag)] : [];
  return flag.endsWith("=")
    ? [valueToken(arg, value, flag)]
    : [plain(flag), valueToken(arg, value)];
}
