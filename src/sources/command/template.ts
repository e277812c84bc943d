/**
 * The template of a command line: parses `argv` into pieces, and pieces into tokens.
 *
 * `{name}` is an argument. `{name?}` is optional, and its token is omitted with it; a list within the list is
 * omitted as a whole. `{?name}` is no token: it omits its list. `{...}` stands for all other arguments. Doubled braces
 * are text: `{{.Names}}` stays.
 */

import type { Arg } from "../../tool/tool.ts";

/** One element of a template. */
export type Piece =
  | { readonly kind: "rest" }
  | { readonly kind: "token"; readonly parts: readonly Part[] }
  /** No token: its group is omitted without a value of the argument. */
  | { readonly kind: "condition"; readonly arg: string }
  /** Omitted as a whole if an argument in it is absent. */
  | { readonly kind: "group"; readonly pieces: readonly Piece[] };

/** Text, or the argument whose value it has. */
export type Part = string | TemplatePart;

/** A placeholder. */
export interface TemplatePart {
  readonly arg: string;
  /** Written with `?`. */
  readonly isOptional: boolean;
}

/** A template as written. */
export type TemplateFile = readonly (string | readonly string[])[];

const placeholder = /\{\{.*?\}\}|\{([\p{L}\p{N}_.-]+)(\?)?\}/gu;

/** The same for ASCII: the classes of the other one take longer to compile than all templates to parse. */
const asciiPlaceholder = /\{\{.*?\}\}|\{([\w.-]+)(\?)?\}/g;

export function parseTemplate(template: TemplateFile): Piece[] {
  return template.map((element) => {
    if (typeof element === "string") return pieceOf(element);
    return { kind: "group", pieces: element.map(pieceOf) };
  });
}

function pieceOf(token: string): Piece {
  if (token === "{...}") return { kind: "rest" };
  const condition = /^\{\?([^{}?]+)\}$/.exec(token);
  if (condition !== null) return { kind: "condition", arg: condition[1]! };
  const parts: Part[] = [];
  let end = 0;
  // deno-lint-ignore no-control-regex
  const pattern = /^[\x00-\x7f]*$/.test(token) ? asciiPlaceholder : placeholder;
  for (const match of token.matchAll(pattern)) {
    const [whole, arg, mark] = match;
    if (arg === undefined) continue;
    if (match.index > end) parts.push(token.slice(end, match.index));
    parts.push({ arg, isOptional: mark !== undefined });
    end = match.index + whole.length;
  }
  if (end < token.length || parts.length === 0) parts.push(token.slice(end));
  return { kind: "token", parts };
}

/** The placeholders in `pieces`, with the parts of their tokens. */
export function placesOf(
  pieces: readonly Piece[],
): { place: TemplatePart; parts: readonly Part[] }[] {
  return pieces.flatMap((piece) => {
    switch (piece.kind) {
      case "rest":
      case "condition":
        return [];
      case "group":
        return placesOf(piece.pieces);
      case "token":
        return piece.parts.flatMap((part) => {
          return typeof part === "string" ? [] : [{ place: part, parts: piece.parts }];
        });
    }
  });
}

/**
 * Names of arguments that a program may read as options: those that start a token in front of a `--`. A `--` in a
 * group counts for that group only, which may be omitted.
 */
export function standingAlone(pieces: readonly Piece[]): Set<string> {
  const names = new Set<string>();
  let ended = false;
  for (const piece of pieces) {
    if (ended) break;
    if (piece.kind === "group") { for (const name of standingAlone(piece.pieces)) names.add(name); }
    if (piece.kind !== "token") continue;
    ended = piece.parts.length === 1 && piece.parts[0] === "--";
    // After an empty value, the next part starts the token
    for (const part of piece.parts) {
      if (typeof part === "string") break;
      names.add(part.arg);
    }
  }
  return names;
}

/** The arguments that `{...}` stands for. */
export function restOf(pieces: readonly Piece[], args: readonly Arg[]): Arg[] {
  const placed = new Set(placesOf(pieces).map(({ place }) => place.arg));
  return args.filter(({ name }) => !placed.has(name));
}
