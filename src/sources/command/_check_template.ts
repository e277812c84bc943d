/**
 * Checks the placeholders of an `argv` in a config: their arguments must exist, and have a value unless `?` marks them
 * as optional.
 */

import type { Finding, Path } from "../../files/finding.ts";
import { nearHint } from "../../text/similar_names.ts";
import { type Fields, fieldsOf } from "./_check_arg.ts";
import { helpersIn, parseTemplate, type TemplateFile, templatePlaceholders } from "./argv.ts";
import { helperText } from "./bundled.ts";
import type { Part, Piece, Placeholder } from "./source.ts";

interface Placed {
  readonly placeholder: Placeholder;
  readonly parts: readonly Part[];
  readonly at: Path;
}

export function checkTemplate(tool: Fields, path: Path): Finding[] {
  const template = tool["argv"];
  const args = fieldsOf(tool["args"]);
  const isElsewhere = typeof tool["start_in"] === "string";
  const start = [...path, "start_in"];
  if (!isTemplate(template)) return isElsewhere ? checkStart([], args, start) : [];
  const at = [...path, "argv"];
  const pieces = parseTemplate(template);
  const placed = findPlaceholders(pieces, at);
  const [helper] = helpersIn(pieces);
  return [
    ...(helper === undefined || helperText(helper)
      ? []
      : [{ path: at, message: `'argv': no helper '${helper}' comes with climax` }]),
    ...(isElsewhere || helper ? checkStart(placed, args, isElsewhere ? start : at) : []),
    ...checkRests(pieces, at),
    ...pieces.flatMap((piece, index) => {
      if (piece.kind !== "condition") return [];
      const written = `{${piece.isGiven ? "?" : "!"}${piece.arg}}`;
      const message = `'argv': '${written}' stands in a list, which it omits`;
      return [{ path: [...at, index], message }];
    }),
    ...placed.flatMap((each) => checkPlaceholder(each, args, isElsewhere || helper !== undefined)),
    ...checkUnplaced(pieces, placed, args, path),
  ];
}

function isTemplate(value: unknown): value is TemplateFile {
  const isText = (element: unknown) => typeof element === "string";
  return Array.isArray(value) && value.every((element) => {
    return isText(element) || (Array.isArray(element) && element.every(isText));
  });
}

function findPlaceholders(pieces: readonly Piece[], at: Path): Placed[] {
  return pieces.flatMap((piece, index) => {
    const path = [...at, index];
    if (piece.kind === "group") return findPlaceholders(piece.pieces, path);
    if (piece.kind !== "condition") {
      return templatePlaceholders([piece]).map((each) => ({ ...each, at: path }));
    }
    return [{ placeholder: { arg: piece.arg, isOptional: true }, parts: [], at: path }];
  });
}

function checkStart(placed: readonly Placed[], args: readonly [number, Fields][], at: Path) {
  const names = new Set(placed.map(({ placeholder }) => placeholder.arg));
  const isPassed = args.some(([, { name, cwd }]) => cwd === true && names.has(String(name)));
  const isHelper = at.at(-1) === "argv";
  const relative = args.filter(([, { cwd, within }]) => cwd !== true && within && !isHelper);
  return [
    ...(isPassed ? [] : [{
      path: at,
      message: "'argv' does not tell the program of the directory of the call",
      hint: "Give an argument 'cwd: true', and 'argv' a place for it: '--dir={directory}'",
    }]),
    ...relative.map(([index]) => ({
      path: [...at.slice(0, -1), "args", index, "within"],
      message: "'within': with 'start_in', the program would see a relative path from elsewhere",
    })),
  ];
}

function checkRests(pieces: readonly Piece[], at: Path): Finding[] {
  const rests = pieces.flatMap((piece, index) => piece.kind === "rest" ? [[...at, index]] : []);
  const inner = pieces.flatMap((piece, index) => {
    if (piece.kind !== "group") return [];
    const position = piece.pieces.findIndex(({ kind }) => kind === "rest");
    return position === -1 ? [] : [[...at, index, position]];
  });
  return [
    ...rests.slice(1).map((path) => ({ path, message: "'{...}' occurs twice in 'argv'" })),
    ...inner.map((path) => ({ path, message: "'{...}' cannot stand in a list of its own" })),
  ];
}

function checkPlaceholder(
  { placeholder, parts, at }: Placed,
  args: readonly [number, Fields][],
  isElsewhere: boolean,
): Finding[] {
  const written = `{${placeholder.arg}${placeholder.isOptional ? "?" : ""}}`;
  const finding = (text: string, hint?: string) => {
    return [{ path: at, message: `'argv': ${text}`, ...(hint === undefined ? {} : { hint }) }];
  };
  const names = args.map(([, { name }]) => name).filter((name) => typeof name === "string");
  const [, arg] = args.find(([, { name }]) => name === placeholder.arg) ?? [];
  if (arg === undefined) {
    const hint = nearHint(placeholder.arg, names) ??
      `Its arguments: ${names.join(", ") || "none"}; doubled braces are text`;
    return finding(`no argument '${placeholder.arg}' for '${written}'`, hint);
  }
  const unplaced = isElsewhere ? ["stdin"] : ["stdin", "cwd"];
  const role = arg["lines"] ? "lines" : unplaced.find((key) => arg[key] === true);
  if (role !== undefined) {
    const hint = "With 'start_in', it is the directory as an absolute path";
    const text = `'${written}' has no place, since the argument has the role '${role}'`;
    return finding(text, role === "cwd" ? hint : undefined);
  }
  const isFlag = arg["type"] === "boolean" || typeof arg["flag"] === "string";
  if (isFlag && parts.length > 1) {
    const hint = arg["type"] === "boolean"
      ? "A boolean is its flag, present or absent"
      : "Leave 'flag' out where the template has it";
    return finding(`'${written}' is a flag with its value, and a token of its own`, hint);
  }
  const others = parts.filter((part) => typeof part !== "string").length > 1;
  if (arg["type"] === "array" && others && !arg["separator"]) {
    const hint = "Give the list a 'separator', or a token of its own";
    return finding(`the list '${written}' shares a token with another argument`, hint);
  }
  if (placeholder.isOptional || arg["type"] === "boolean" || isSure(arg)) return [];
  const text = `argument '${placeholder.arg}' may be absent, and its token with it`;
  return finding(text, `Write '{${placeholder.arg}?}', or give it a default`);
}

function isSure({ required, default: preset, value }: Fields): boolean {
  return required === true || [preset, value].some((each) => each !== undefined && each !== null);
}

function checkUnplaced(
  pieces: readonly Piece[],
  placed: readonly Placed[],
  args: readonly [number, Fields][],
  path: Path,
): Finding[] {
  if (pieces.some(({ kind }) => kind === "rest")) return [];
  const names = new Set(placed.map(({ placeholder }) => placeholder.arg));
  return args.flatMap(([index, arg]) => {
    const { name } = arg;
    if (typeof name !== "string" || names.has(name)) return [];
    if (arg["stdin"] || arg["cwd"] || arg["lines"]) return [];
    const message = `Argument '${name}' has no place in 'argv'`;
    const hint = `Write '{${name}?}' where it belongs, or '{...}' for all that are left`;
    return [{ path: [...path, "args", index, "name"], message, hint }];
  });
}
