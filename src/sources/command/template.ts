/**
 * A tool's command line as a template: `argv` as written → pieces, and pieces → tokens.
 *
 * `{name}` is an argument, `{name?}` one that may be absent, and then the token it is in is left out
 * with it; a list within the list is left out as a whole. `{...}` is every argument that is named
 * nowhere else. Doubled braces are text, so that `{{.Names}}` is itself.
 */

import type { Arg } from "../../tool/tool.ts";

/** One element of a template. */
export type Piece =
  | { readonly kind: "rest" }
  | { readonly kind: "token"; readonly parts: readonly Part[] }
  /** Left out as a whole where an argument in it is absent. */
  | { readonly kind: "group"; readonly pieces: readonly Piece[] };

/** Text of a token, or the argument whose value it has. */
export type Part = string | TemplatePart;

/** Where an argument stands. */
export interface TemplatePart {
  readonly arg: string;
  /** Whether it is written with `?`. */
  readonly isOptional: boolean;
}

/** A template as written. */
export type TemplateFile = readonly (string | readonly string[])[];

const placeholder = /\{\{.*?\}\}|\{([\p{L}\p{N}_.-]+)(\?)?\}/gu;

/** The pieces of `template`. */
export function parseTemplate(template: TemplateFile): Piece[] {
  return template.map((element) => {
    if (typeof element === "string") return pieceOf(element);
    return { kind: "group", pieces: element.map(pieceOf) };
  });
}

function pieceOf(token: string): Piece {
  if (token === "{...}") return { kind: "rest" };
  const parts: Part[] = [];
  let end = 0;
  for (const match of token.matchAll(placeholder)) {
    const [whole, arg, mark] = match;
    if (arg === undefined) continue;
    if (match.index > end) parts.push(token.slice(end, match.index));
    parts.push({ arg, isOptional: mark !== undefined });
    end = match.index + whole.length;
  }
  if (end < token.length || parts.length === 0) parts.push(token.slice(end));
  return { kind: "token", parts };
}

/** Every place in `pieces`, with the parts of the token it is in. */
export function placesOf(
  pieces: readonly Piece[],
): { place: TemplatePart; parts: readonly Part[] }[] {
  return pieces.flatMap((piece) => {
    switch (piece.kind) {
      case "rest":
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
 * Names of the arguments that a program may read as options where `pieces` place them: those that
 * begin a token, up to a `--`. One within a group ends with it, for the group may be left out.
 */
export function standingAlone(pieces: readonly Piece[]): Set<string> {
  const names = new Set<string>();
  let ended = false;
  for (const piece of pieces) {
    if (ended) break;
    if (piece.kind === "group") { for (const name of standingAlone(piece.pieces)) names.add(name); }
    if (piece.kind !== "token") continue;
    ended = piece.parts.length === 1 && piece.parts[0] === "--";
    // A value that is empty leaves the beginning of the token to the next
    for (const part of piece.parts) {
      if (typeof part === "string") break;
      names.add(part.arg);
    }
  }
  return names;
}

/** The arguments that stand where `{...}` is. */
export function restOf(pieces: readonly Piece[], args: readonly Arg[]): Arg[] {
  const placed = new Set(placesOf(pieces).map(({ place }) => place.arg));
  return args.filter(({ name }) => !placed.has(name));
}
