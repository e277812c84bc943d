/**
 * A tool in one line, for agents: its name, its arguments with their types, what it may change. A
 * schema says more, and costs several times the tokens. Whatever a line has no room for is `…` in it.
 */

import { excerpt } from "../text/excerpt.ts";
import { inOneLine, jsonInOneLine } from "../text/escape.ts";
import { isComposed, leftOut, nameWords, objectOf, restWords, typeWords } from "./_type_words.ts";
import { boundedSchema } from "./bounded_schema.ts";
import { resolveRef, type Schema } from "./schema_ref.ts";
import type { Tool } from "./tool.ts";

/** Characters of all arguments in a line; those that may be left out are, from the last. */
export const longestArguments = 600;
/** Characters of one argument; of a longer one its name alone is shown. */
const longestArgument = 200;
/** Characters of a default that are shown; a longer one counts as optional. */
const longestDefault = 24;
/** Characters of the shape of a result. */
const longestShape = 100;
/** Characters of a description, and of one in a brief line. */
export const longestDescription = 80;
const longestBrief = 60;

/** How much of a tool a line has. */
export interface LineOptions {
  /** Shows required arguments only. @default false */
  readonly isBrief?: boolean | undefined;
  /** Characters of the description. @default {@linkcode longestDescription}, less in a brief line */
  readonly longest?: number | undefined;
}

type Described = Pick<Tool, "name" | "input" | "args">;

/**
 * The name and the arguments: `git_log(max_count: integer 1..100 = 10, author?, oneline?: boolean)`.
 * What has no type is a text, `?` is optional, `=` is the default, `…` is what was left out.
 */
export function signatureOf(tool: Described, { isBrief = false }: LineOptions = {}): string {
  const schema = boundedSchema(tool);
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const all = Object.entries(objectOf(schema.properties)).map(([name, written]) => {
    const isRequired = required.has(name);
    return { isRequired, words: () => argumentWords(name, written, isRequired, schema) };
  });
  const shown = within(longestArguments, isBrief ? all.filter((arg) => arg.isRequired) : all);
  const words = all.flatMap((arg) => shown.get(arg) ?? []);
  const isCut = words.length < all.length || isComposed(schema);
  const rest = isCut ? [leftOut] : restWords(schema, schema);
  return `${nameWords(tool.name)}(${[...words, ...rest].join(", ")})`;
}

/**
 * {@linkcode signatureOf}, the effect where it is known, the shape of the result where that is declared
 * (`-> {result: {name, phase}[]}`; not in a brief line), and what the tool is for.
 */
export function lineOf(tool: Tool, options: LineOptions = {}): string {
  const effect = tool.effect === undefined ? "" : ` ${tool.effect}`;
  const { longest = options.isBrief ? longestBrief : longestDescription } = options;
  const about = firstSentence(tool.description, longest);
  const shape = options.isBrief ? "" : shapeOf(tool);
  return `${signatureOf(tool, options)}${effect}${shape}${about === "" ? "" : `: ${about}`}`;
}

function shapeOf({ output }: Tool): string {
  return output === undefined ? "" : ` -> ${excerpt(typeWords(output, output), longestShape)}`;
}

/** Characters of a description that are looked at for its first sentence. */
const lookedAt = 1000;

function firstSentence(description: string, longest: number): string {
  const text = inOneLine(description.slice(0, lookedAt));
  const [sentence] = /^.{12,}?[^.][^A-Z.][.!?](?= )/.exec(text) ?? [text];
  // Cut after a whole word where one ends nearby
  const about = excerpt(sentence, longest).replace(/(?<=\S)\s\S{0,15}…$/, "…");
  // A deprecation is often said last
  return isDeprecated(text) && !isDeprecated(about) ? `${about}${deprecated}` : about;
}

const deprecated = " (deprecated)";

function isDeprecated(text: string): boolean {
  return /\bdeprecated\b/i.test(text);
}

interface Argument {
  readonly isRequired: boolean;
  words(): string;
}

/** The words of as many of `all` as have room in `room` characters, required ones before others. */
function within(room: number, all: readonly Argument[]): Map<Argument, string> {
  const ordered = [...all.filter((arg) => arg.isRequired), ...all.filter((arg) => !arg.isRequired)];
  const shown = new Map<Argument, string>();
  let left = room;
  for (const arg of ordered) {
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
  return words.length <= longestArgument ? words : `${shown}${isRequired ? "" : "?"}: ${leftOut}`;
}

function presetOf(schema: Schema): string | undefined {
  if (schema["default"] === undefined) return undefined;
  const preset = jsonInOneLine(schema["default"]);
  return preset.length <= longestDefault ? preset : undefined;
}
