/** Formats a tool in one line for agents: name, arguments with types, effect. `…` says that a part was left out. */

import { excerpt } from "../text/excerpt.ts";
import { inOneLine, jsonInOneLine } from "../text/escape.ts";
import { isComposed, leftOut, nameWords, objectOf, restWords, typeWords } from "./type_words.ts";
import { boundSchema, inputSchema } from "./json_schema.ts";
import type { Tool } from "./tool.ts";
import { resolveRef, type Schema } from "./schema_value.ts";

/** Arguments beyond this many characters are left out of a tool's line, the last optional arguments first. */
export const maxArgumentsLength = 600;
const maxArgumentLength = 200;
/** A default with more characters than this is not shown, only that the argument is optional. */
const maxDefaultLength = 24;
const maxShapeLength = 100;
/** A description is cut to this many characters in a tool's line, and to fewer in a brief line. */
export const maxDescriptionLength = 80;
const maxBriefLength = 60;

interface LineOptions {
  readonly isBrief?: boolean | undefined;
  /** The most characters of the description. @default {@linkcode maxDescriptionLength}, fewer in a brief line */
  readonly longest?: number | undefined;
  readonly isWanted?: ((name: string) => boolean) | undefined;
}

type Described =
  & Pick<Tool, "name" | "input" | "args">
  & Partial<Pick<Tool, "softTimeoutMs" | "background">>;

/** Returns a tool as `git_log(max_count: integer 1..100 = 10, author?)`. An argument without a type is a text. */
export function signatureOf(tool: Described, options: LineOptions = {}): string {
  return `${nameWords(tool.name)}(${argumentsOf(tool, options)})`;
}

/** Returns whether calls often take long, so that a tool's line offers `background: true` to make them jobs. */
export function takesJob({ softTimeoutMs = 0, background, ...tool }: Described): boolean {
  return softTimeoutMs > 0 && background === undefined &&
    !inputSchema(tool).properties?.["background"];
}

export function takesWords(tool: Described): string {
  return `${nameWords(tool.name)} takes: ${argumentsOf(tool) || "no arguments"}`;
}

function argumentsOf(tool: Described, { isBrief = false, isWanted }: LineOptions = {}): string {
  const schema = boundSchema(tool);
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const all = Object.entries(objectOf(schema.properties)).map(([name, written]) => {
    const isRequired = required.has(name);
    const place = isRequired ? 0 : isWanted?.(name) ? 1 : 2;
    return { place, words: () => argumentWords(name, written, isRequired, schema) };
  });
  const shown = within(maxArgumentsLength, isBrief ? all.filter(({ place }) => place === 0) : all);
  const words = all.flatMap((arg) => shown.get(arg) ?? []);
  const isCut = words.length < all.length || isComposed(schema);
  const job = takesJob(tool) && !isBrief ? ["background?: boolean"] : [];
  const rest = [...job, ...isCut ? [leftOut] : restWords(schema, schema)];
  return [...words, ...rest].join(", ");
}

export function lineOf(tool: Tool, options: LineOptions = {}): string {
  const effect = tool.effect === undefined ? "" : ` ${tool.effect}`;
  const { longest = options.isBrief ? maxBriefLength : maxDescriptionLength } = options;
  const about = firstSentence(tool.description, longest);
  const { output } = tool;
  const shape = options.isBrief || output === undefined
    ? ""
    : ` -> ${excerpt(typeWords(output, output), maxShapeLength)}`;
  return `${signatureOf(tool, options)}${effect}${shape}${about === "" ? "" : `: ${about}`}`;
}

const lookedAt = 1000;

function firstSentence(description: string, longest: number): string {
  const text = inOneLine(description.slice(0, lookedAt));
  const [sentence] = /^.{12,}?[^.][^A-Z.][.!?](?= )/.exec(text) ?? [text];
  const about = excerpt(sentence, longest).replace(/(?<=\S)\s\S{0,15}…$/, "…");
  // Many descriptions say at their end that the tool is deprecated, which would be cut off
  return isDeprecated(text) && !isDeprecated(about) ? `${about} (deprecated)` : about;
}

function isDeprecated(text: string): boolean {
  return /\bdeprecated\b/i.test(text);
}

interface Argument {
  readonly place: number;
  words(): string;
}

function within(room: number, all: readonly Argument[]): Map<Argument, string> {
  const shown = new Map<Argument, string>();
  let left = room;
  for (const arg of all.toSorted((a, b) => a.place - b.place)) {
    const words = arg.words();
    left -= words.length + ", ".length;
    if (left < 0) break;
    shown.set(arg, words);
  }
  return shown;
}

function argumentWords(name: string, written: unknown, isRequired: boolean, root: Schema): string {
  const shown = nameWords(name);
  const preset = presetOf(resolveRef(written, root));
  const mark = isRequired || preset !== undefined ? "" : "?";
  const type = typeWords(written, root);
  const kind = type === "" ? "" : `: ${type}`;
  const words = `${shown}${mark}${kind}${preset === undefined ? "" : ` = ${preset}`}`;
  return words.length <= maxArgumentLength ? words : `${shown}${isRequired ? "" : "?"}: ${leftOut}`;
}

function presetOf(schema: Schema): string | undefined {
  if (schema["default"] === undefined) return undefined;
  const preset = jsonInOneLine(schema["default"]);
  return preset.length <= maxDefaultLength ? preset : undefined;
}
