/** Builds the command line of a call from the typed values of its arguments. docs/configs.md explains the templates. */

import { type CommandTokens, plain, type Token } from "../../exec/invocation.ts";
import type { Arg, ArgValue, ArgValues } from "../../tool/tool.ts";
import { helperText } from "./bundled.ts";
import type { CommandSource, Part, Piece, Placeholder } from "./source.ts";

export interface CommandLine {
  readonly argv: CommandTokens;
  readonly stdin?: Token | undefined;
  readonly cwd?: Token | undefined;
}

const mask = "***";

const isWindows = Deno.build.os === "windows";

type SeenDirectory = (directory: string) => string;

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
  const dashes = template.findIndex(isEndOfOptions);
  const end = dashes < 0 ? template.length : dashes;
  const tokensOf = (pieces: readonly Piece[]) => {
    return pieces.flatMap((piece) => pieceTokens(piece, template, given));
  };
  return {
    argv: [
      plain(program),
      ...words.map((word) => plain(isWindows && word === "/dev/null" ? "NUL" : word)),
      ...tokensOf(template.slice(0, end)),
      ...source.globalArgs.map(plain),
      ...tokensOf(template.slice(end)),
    ],
    stdin,
    cwd,
  };
}

/** Returns whether a piece of a template begins with `--`, behind which programs read no options. */
function isEndOfOptions(piece: Piece | undefined): boolean {
  if (piece?.kind === "group") return isEndOfOptions(piece.pieces[0]);
  return piece?.kind === "token" && piece.parts.length === 1 && piece.parts[0] === "--";
}

class ArgumentTokens {
  constructor(
    readonly args: readonly Arg[],
    readonly values: ArgValues,
    readonly resolveDirectory: SeenDirectory,
  ) {}

  ofRole(kind: "stdin" | "cwd"): Token | undefined {
    const arg = this.args.find(({ role }) => role.kind === kind);
    const value = arg && this.values.get(arg.name);
    return value === undefined ? undefined : valueToken(arg!, value);
  }

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
      const placed = new Set(templatePlaceholders(template).map((it) => it.placeholder.arg));
      const rest = given.args.filter(({ name }) => !placed.has(name));
      const positionals = rest.filter(({ role }) => role.kind === "positional");
      const flags = rest.filter(({ role }) => role.kind === "flag");
      return [...positionals, ...flags].flatMap(({ name }) => given.tokensOf(name));
    }
    case "group": {
      const parts = piece.pieces.map((inner) => pieceTokens(inner, template, given));
      if (parts.some((tokens) => tokens.length === 0)) return [];
      const tokens = parts.filter((_, at) => piece.pieces[at]!.kind !== "condition").flat();
      const isRepeated = isEndOfOptions(piece) && tokens[1]?.text === "--" && tokens.length > 2;
      return isRepeated ? tokens.toSpliced(1, 1) : tokens;
    }
    case "condition":
      return given.tokensOf(piece.arg).length > 0 === piece.isGiven ? [plain("")] : [];
    case "helper":
      return [{ text: helperText(piece.name), shown: `<${piece.name}>` }];
    case "token":
      return textTokens(piece.parts, given);
  }
}

function textTokens(parts: readonly Part[], given: ArgumentTokens): Token[] {
  let tokens: Token[] = [plain("")];
  for (const part of parts) {
    const texts = typeof part === "string" ? [plain(part)] : given.tokensOf(part.arg);
    tokens = tokens.flatMap((before) => texts.map((text) => joinTokens(before, text)));
  }
  return tokens;
}

function joinTokens(a: Token, b: Token): Token {
  const isFixed = b.isFixed === true && (a.isFixed === true || a.text === "");
  return { text: a.text + b.text, shown: a.shown + b.shown, isFixed };
}

function argTokens(arg: Arg, value: ArgValue): Token[] {
  const { role, list } = arg;
  const items = list && Array.isArray(value) ? withoutEverything(role, value) : [value];
  const isJoined = list?.separator !== undefined && items.length > 0;
  return (isJoined ? [items.join(list.separator)] : items).flatMap((each) => {
    return role.kind === "flag" ? flagTokens(arg, role.flag, each) : [valueToken(arg, each)];
  });
}

/** Removes globs such as `*` that match everything: with one, ripgrep also searches files that git ignores. */
function withoutEverything(role: Arg["role"], items: readonly ArgValue[]): readonly ArgValue[] {
  if (role.kind !== "flag" || role.flag !== "--glob=") return items;
  const negative = items.filter((item) => String(item).startsWith("!"));
  const isAll = items.every((item) => /^(?:!.*|(?:\.\/)?(?:\*+\/)*\*+)$/s.test(String(item)));
  return isAll ? negative : items;
}

function valueToken({ constraint, fixed }: Arg, value: ArgValue, prefix = ""): Token {
  const text = prefix + String(value);
  return { text, shown: constraint?.secret ? prefix + mask : text, isFixed: fixed !== undefined };
}

function flagTokens(arg: Arg, flag: string, value: ArgValue): Token[] {
  if (typeof value === "boolean") return value ? [plain(flag)] : [];
  return flag.endsWith("=")
    ? [valueToken(arg, value, flag)]
    : [plain(flag), valueToken(arg, value)];
}

export type TemplateFile = readonly (string | readonly string[])[];

const placeholderPattern = /\{\{[^{}]*\}\}|\{([\p{L}\p{N}_.-]+)(\?)?\}/gu;

export function parseTemplate(template: TemplateFile): Piece[] {
  return template.map((element) => {
    const [, helper] = /^\{@([\w.]+)\}$/.exec(String(element)) ?? [];
    if (helper !== undefined) return { kind: "helper", name: helper };
    if (typeof element === "string") return pieceOf(element);
    return { kind: "group", pieces: element.map(pieceOf) };
  });
}

function pieceOf(token: string): Piece {
  if (token === "{...}") return { kind: "rest" };
  const condition = /^\{([?!])([^{}?]+)\}$/.exec(token);
  if (condition !== null) {
    return { kind: "condition", arg: condition[2]!, isGiven: condition[1] === "?" };
  }
  const parts: Part[] = [];
  let end = 0;
  for (const match of token.matchAll(placeholderPattern)) {
    const [whole, arg, mark] = match;
    if (arg === undefined) continue;
    if (match.index > end) parts.push(token.slice(end, match.index));
    parts.push({ arg, isOptional: mark !== undefined });
    end = match.index + whole.length;
  }
  if (end < token.length || parts.length === 0) parts.push(token.slice(end));
  return { kind: "token", parts };
}

export function templatePlaceholders(
  pieces: readonly Piece[],
): { placeholder: Placeholder; parts: readonly Part[] }[] {
  return pieces.flatMap((piece) => {
    if (piece.kind === "group") return templatePlaceholders(piece.pieces);
    if (piece.kind !== "token") return [];
    return piece.parts.flatMap((part) => {
      return typeof part === "string" ? [] : [{ placeholder: part, parts: piece.parts }];
    });
  });
}

export function helpersIn(pieces: readonly Piece[] = []): string[] {
  return pieces.flatMap((piece) => piece.kind === "helper" ? [piece.name] : []);
}

/** Returns the arguments whose values begin a word in front of any `--`, so that a program may read them as options. */
export function standingAlone(pieces: readonly Piece[]): Set<string> {
  const names = new Set<string>();
  let ended = false;
  for (const piece of pieces) {
    if (ended) break;
    if (piece.kind === "group") { for (const name of standingAlone(piece.pieces)) names.add(name); }
    if (piece.kind !== "token") continue;
    ended = piece.parts.length === 1 && piece.parts[0] === "--";
    for (const part of piece.parts) {
      if (typeof part === "string") break;
      names.add(part.arg);
    }
  }
  return names;
}
