/**
 * Builds the command line, the standard input and the directory of one run from typed values.
 *
 * Each value becomes exactly one token or a part of one: no value is split or joined to another, and no shell
 * reads it. Each token also has the text that logs may have.
 */

import { type CommandTokens, plain, type Token } from "../../exec/invocation.ts";
import type { Arg, ArgValue, ArgValues } from "../../tool/tool.ts";
import type { CommandSource } from "./source.ts";
import { type Part, type Piece, restOf } from "./template.ts";

export interface CommandLine {
  /** Program first. */
  readonly argv: CommandTokens;
  /** Text for the command's standard input. */
  readonly stdin?: Token;
  /** The directory that an argument names. */
  readonly cwd?: Token;
}

const mask = "***";

/** Maps the directory of an argument to the path that a program which starts elsewhere sees. */
export type SeenDirectory = (directory: string) => string;

/**
 * Builds the command line: command, arguments in the order of the template, global arguments. Without a template,
 * positional arguments come before flags, each in definition order.
 */
export function buildArgv(
  source: CommandSource,
  args: readonly Arg[],
  values: ArgValues,
  resolveDirectory: SeenDirectory = (directory) => directory,
): CommandLine {
  const [program, ...words] = source.command;
  const given = new ArgumentTokens(args, values, resolveDirectory);
  const stdin = given.ofRole("stdin") ??
    (source.stdin === undefined ? undefined : plain(source.stdin));
  const cwd = given.ofRole("cwd");
  const template = source.template ?? [{ kind: "rest" }];
  return {
    argv: [
      plain(program),
      ...words.map(plain),
      ...template.flatMap((piece) => pieceTokens(piece, template, given)),
      ...source.globalArgs.map(plain),
    ],
    ...(stdin === undefined ? {} : { stdin }),
    ...(cwd === undefined ? {} : { cwd }),
  };
}

class ArgumentTokens {
  constructor(
    readonly args: readonly Arg[],
    readonly values: ArgValues,
    readonly resolveDirectory: SeenDirectory,
  ) {}

  /** At most one argument has this role. */
  ofRole(kind: "stdin" | "cwd"): Token | undefined {
    const arg = this.args.find(({ role }) => role.kind === kind);
    const value = arg && this.values.get(arg.name);
    return value === undefined ? undefined : valueToken(arg!, value);
  }

  /** The tokens of the argument `name`: one for each item of a list; none if it is absent. */
  tokensOf(name: string): Token[] {
    const arg = this.args.find((each) => each.name === name)!;
    const value = this.values.get(name);
    if (value === undefined) return [];
    return arg.role.kind === "cwd"
      ? [valueToken(arg, this.resolveDirectory(String(value)))]
      : argTokens(arg, value);
  }
}

function pieceTokens(piece: Piece, template: readonly Piece[], given: ArgumentTokens): Token[] {
  switch (piece.kind) {
    case "rest": {
      const rest = restOf(template, given.args);
      const positionals = rest.filter(({ role }) => role.kind === "positional");
      const flags = rest.filter(({ role }) => role.kind === "flag");
      return [...positionals, ...flags].flatMap(({ name }) => given.tokensOf(name));
    }
    case "group": {
      const parts = piece.pieces.map((inner) => pieceTokens(inner, template, given));
      if (parts.some((tokens) => tokens.length === 0)) return [];
      return parts.filter((_, at) => piece.pieces[at]!.kind !== "condition").flat();
    }
    case "condition":
      return given.tokensOf(piece.arg);
    case "token":
      return textTokens(piece.parts, given);
  }
}

/** One token, or one for each item of the list in it; none if an argument in it is absent. */
function textTokens(parts: readonly Part[], given: ArgumentTokens): Token[] {
  let tokens: Token[] = [plain("")];
  for (const part of parts) {
    const texts = typeof part === "string" ? [plain(part)] : given.tokensOf(part.arg);
    tokens = tokens.flatMap((before) => texts.map((text) => joined(before, text)));
  }
  return tokens;
}

function joined(a: Token, b: Token): Token {
  return { text: a.text + b.text, shown: a.shown + b.shown };
}

/** A token for each value, with the flag in front of each if there is one. */
function argTokens(arg: Arg, value: ArgValue): Token[] {
  const { role, list } = arg;
  const values = list === undefined || !Array.isArray(value)
    ? [value]
    : joinedItems(value, list.separator);
  return values.flatMap((each) => {
    return role.kind === "flag" ? flagTokens(arg, role.flag, each) : [valueToken(arg, each)];
  });
}

function joinedItems(items: readonly ArgValue[], separator: string | undefined): ArgValue[] {
  if (separator === undefined || items.length === 0) return [...items];
  return [items.join(separator)];
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
