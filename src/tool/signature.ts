/**
 * A tool in one line, for agents: its name, its arguments with their types, what it may change. A
 * schema says more, and costs several times the tokens.
 */

import { excerpt } from "../text/excerpt.ts";
import { inputSchema } from "./json_schema.ts";
import type { Arg, Tool } from "./tool.ts";

/** Values of an enumeration that are spelled out; of more, the first ones are. */
const mostValues = 12;
/** Levels of objects in objects that are spelled out. */
const mostLevels = 2;
/** Characters of a default that are shown; a longer one counts as optional. */
const longestDefault = 24;
/** Characters of the shape of a result. */
const longestShape = 100;
/** Characters of a description: about a sentence. */
const longestDescription = 120;

/**
 * The name and the arguments: `git_log(max_count: integer 1..100 = 10, author?, oneline?: boolean)`.
 * What has no type is a text, `?` is optional, `=` is the default.
 */
export function signatureOf(tool: Pick<Tool, "name" | "input" | "args" | "isOpen">): string {
  const { properties = {}, required = [] } = inputSchema(tool);
  const bounds = new Map(tool.args.map((arg) => [arg.name, boundsOf(arg)]));
  const words = Object.entries(properties).map(([name, schema]) => {
    return argumentWords(name, schemaOf(schema), required.includes(name), bounds.get(name));
  });
  return `${nameWords(tool.name)}(${[...words, ...(tool.isOpen ? ["…"] : [])].join(", ")})`;
}

/**
 * {@linkcode signatureOf}, the effect where it is known, the shape of the result where that is declared
 * (`-> {result: {name, phase}[]}`), and what the tool is for.
 */
export function lineOf(tool: Tool): string {
  const effect = tool.effect === undefined ? "" : ` ${tool.effect}`;
  const { output } = tool;
  const shape = output === undefined
    ? ""
    : ` -> ${excerpt(typeWords(output, mostLevels), longestShape)}`;
  const about = firstSentence(tool.description);
  return `${signatureOf(tool)}${effect}${shape}${about === "" ? "" : `: ${about}`}`;
}

function firstSentence(description: string): string {
  const text = description.replace(/\s+/g, " ").trim();
  const [sentence] = /^.{12,}?[^.][^A-Z.][.!?](?= )/.exec(text) ?? [text];
  return excerpt(sentence, longestDescription);
}

/** A name that somebody else chose, within one line. */
function nameWords(name: string): string {
  return /^[\w.$/-]+$/.test(name) ? name : JSON.stringify(name);
}

type Schema = Readonly<Record<string, unknown>>;

function schemaOf(value: unknown): Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? value as Schema
    : {};
}

function argumentWords(
  name: string,
  schema: Schema,
  isRequired: boolean,
  bounds: Bounds = boundsIn(schema),
): string {
  const type = [typeWords(schema, mostLevels), rangeWords(bounds)].filter((part) => part !== "");
  const kind = type.length === 0 ? "" : `: ${type.join(" ")}`;
  const preset = schema["default"] === undefined ? undefined : JSON.stringify(schema["default"]);
  const shown = nameWords(name);
  if (preset !== undefined && preset.length <= longestDefault) return `${shown}${kind} = ${preset}`;
  return `${shown}${isRequired ? "" : "?"}${kind}`;
}

/** A type in few words; the empty text for texts. */
function typeWords(schema: Schema, levels: number): string {
  const values = schema["enum"] ?? (schema["const"] === undefined ? undefined : [schema["const"]]);
  if (Array.isArray(values)) return valueWords(values);
  const choices = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(choices)) {
    const words = choices.map((choice) => typeWords(schemaOf(choice), levels) || "string");
    return [...new Set(words)].join("|");
  }
  const { type } = schema;
  if (Array.isArray(type)) return type.join("|");
  switch (type) {
    case "string":
      return "";
    case "array":
      return `${itemWords(typeWords(schemaOf(schema["items"]), levels))}[]`;
    case "object":
      return objectWords(schema, levels);
    default:
      return typeof type === "string" ? type : "any";
  }
}

function valueWords(values: readonly unknown[]): string {
  const shown = values.slice(0, mostValues).map((value) => {
    return typeof value === "string" && /^[\w.:/+-]+$/.test(value) ? value : JSON.stringify(value);
  });
  return [...shown, ...(values.length > mostValues ? ["…"] : [])].join("|");
}

function itemWords(words: string): string {
  const outside = words.replaceAll(/\{(?:[^{}]|\{[^{}]*\})*\}/g, "");
  return outside.includes("|") ? `(${words})` : words || "string";
}

function objectWords(schema: Schema, levels: number): string {
  const properties = Object.entries(schemaOf(schema["properties"]));
  if (properties.length === 0 || levels === 0) return "object";
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const words = properties.map(([name, inner]) => {
    const type = typeWords(schemaOf(inner), levels - 1);
    return `${nameWords(name)}${required.includes(name) ? "" : "?"}${
      type === "" ? "" : `: ${type}`
    }`;
  });
  return `{${words.join(", ")}}`;
}

interface Bounds {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

/** What config and policy leave of the numbers, whichever leaves less. */
function boundsOf({ limits = {}, constraint = {} }: Arg): Bounds | undefined {
  const mins = [limits.min, constraint.min].filter((each) => each !== undefined);
  const maxs = [limits.max, constraint.max].filter((each) => each !== undefined);
  if (mins.length === 0 && maxs.length === 0) return undefined;
  return {
    min: mins.length === 0 ? undefined : Math.max(...mins),
    max: maxs.length === 0 ? undefined : Math.min(...maxs),
  };
}

function boundsIn({ minimum, maximum }: Schema): Bounds {
  const number = (value: unknown) => typeof value === "number" ? value : undefined;
  return { min: number(minimum), max: number(maximum) };
}

function rangeWords({ min, max }: Bounds): string {
  return min === undefined && max === undefined ? "" : `${min ?? ""}..${max ?? ""}`;
}
