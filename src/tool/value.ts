/** Converts values of a call to the types of their arguments, if no information is lost; else says why it cannot. */

import { excerpt, quote } from "../text/excerpt.ts";
import { escapeInvisible } from "../text/escape.ts";
import { parseJsonText } from "../text/message_scan.ts";
import { isObject } from "../text/own_property.ts";
import { plural } from "../text/plural.ts";
import type { Arg, ArgType, ArgValue, ListRules, TextRule, Tool } from "./tool.ts";

/** Converts `raw` to the type of `arg`; constraints are checked later. A list of one value counts as the value. */
export function readValue(
  raw: unknown,
  arg: Pick<Arg, "type" | "list" | "text"> & Partial<Pick<Arg, "name">>,
): ArgValue | InvalidValue {
  if (arg.text === "json" && typeof raw === "object") return jsonText(raw);
  if (arg.list !== undefined) return coerceList(headerLines(raw, arg.name) ?? raw, arg.list);
  const isOne = arg.type !== "json" && arg.type !== "array" && Array.isArray(raw) &&
    raw.length === 1 && typeof raw[0] !== "object";
  const given = isOne ? raw[0] : raw;
  const word = arg.type === "boolean" && typeof given === "string" &&
    /^(?:(yes|on)|no|off)$/i.exec(given);
  return word ? word[1] !== undefined : coerce(given, arg.type);
}

export function validateValue(
  value: ArgValue,
  { name, list, text, enum: values }: Pick<Arg, "name" | "enum" | "list" | "text">,
): string[] {
  if (list !== undefined && Array.isArray(value)) {
    return againstList(value, list, text).map((reason) => `Argument '${name}': ${reason}`);
  }
  if (values !== undefined) {
    if (values.includes(value)) return [];
    return [`Argument '${name}' must be one of: ${valuesText(values)}`];
  }
  const reason = textReason(value, text);
  return reason === undefined ? [] : [`Argument '${name}': ${reason}`];
}

/** A refusal lists allowed values in at most this many characters, since a server may allow any number of them. */
const maxValuesLength = 2000;

function valuesText(values: readonly ArgValue[]): string {
  return excerpt(values.map((value) => escapeInvisible(String(value))).join(", "), maxValuesLength);
}

export class InvalidValue {
  constructor(readonly reason: string) {}
}

export function coerce(raw: unknown, type: ArgType): ArgValue | InvalidValue {
  switch (type) {
    case "string":
      return toText(raw) ?? cannotConvert(raw, type);
    case "integer":
      return toInteger(raw);
    case "number":
      return toNumber(raw) ?? cannotConvert(raw, type);
    case "boolean":
      return toBoolean(raw) ?? cannotConvert(raw, type);
    case "array":
    case "json":
      return raw as ArgValue;
  }
}

function toText(raw: unknown): string | InvalidValue | undefined {
  if (typeof raw === "number") return isInexact(raw) ? inexact(raw) : String(raw);
  if (typeof raw === "boolean") return String(raw);
  if (typeof raw !== "string") return undefined;
  if (raw.includes("\0")) return new InvalidValue("a NUL byte cannot be passed to a program");
  if (!raw.isWellFormed()) return new InvalidValue("a lone surrogate is not valid Unicode text");
  return raw;
}

function jsonText(raw: unknown): string | InvalidValue {
  const changed: number[] = [];
  const text = JSON.stringify(raw, (_, value) => {
    if (typeof value === "number" && isInexact(value)) changed.push(value);
    return value;
  }, 2);
  return changed.length === 0 ? text : inexact(changed[0]!);
}

function toInteger(raw: unknown): number | InvalidValue {
  const value = typeof raw === "string" && /^[+-]?\d+$/.test(raw) ? Number(raw) : raw;
  if (typeof value !== "number" || !Number.isInteger(value)) return cannotConvert(raw, "integer");
  if (Number.isSafeInteger(value)) return value + 0;
  return new InvalidValue(
    `${quoteValue(raw)} is beyond the integers that are exact, ±9007199254740991`,
  );
}

function toNumber(raw: unknown): number | InvalidValue | undefined {
  if (typeof raw === "number" && isInexact(raw)) return inexact(raw);
  const value = typeof raw === "string" && decimal.test(raw) ? Number(raw) : raw;
  if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
  if (typeof raw !== "string" || digitsOf(raw) === digitsOf(String(value))) return value;
  return new InvalidValue(`${quoteValue(raw)} has more digits than a number keeps exactly`);
}

const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

function isInexact(value: number): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

function inexact(raw: number): InvalidValue {
  return new InvalidValue(
    `${quoteValue(raw)} may not be the number that was sent, since integers are exact up to ` +
      "±9007199254740991: send it as text",
  );
}

function digitsOf(text: string): string {
  const digits = text.toLowerCase().split("e", 1)[0]!.replaceAll(/[+.-]/g, "");
  let end = digits.length;
  while (end > 0 && digits[end - 1] === "0") end--;
  return digits.slice(0, end).replace(/^0+/, "");
}

function toBoolean(raw: unknown): boolean | undefined {
  if (typeof raw === "boolean") return raw;
  if (typeof raw !== "string") return undefined;
  const lower = raw.toLowerCase();
  return lower === "true" ? true : lower === "false" ? false : undefined;
}

function headerLines(raw: unknown, name = ""): string[] | undefined {
  const meant = parseJsonText(raw);
  if (!/^headers?$/.test(name) || !isObject(meant)) return undefined;
  return Object.entries(meant).map(([key, value]) => `${key}: ${value}`);
}

/** Converts `raw` to a list: JSON text, or text with commas if no item has one. Any other value is the only item. */
function coerceList(raw: unknown, rules: ListRules): ArgValue[] | InvalidValue {
  const meant = parseJsonText(raw);
  const parts = String(raw).split(",").map((part) => part.trim());
  const isList = rules.type !== "string" || rules.hasNoComma ||
    parts.every((part) => rules.enum?.includes(part));
  const given = Array.isArray(meant) ? meant : typeof raw === "string" && isList ? parts : [raw];
  const items: ArgValue[] = [];
  for (const [index, item] of given.entries()) {
    const value = coerce(item, rules.type);
    if (value instanceof InvalidValue) {
      return given.length === 1 ? value : new InvalidValue(`item ${index + 1}: ${value.reason}`);
    }
    items.push(value);
  }
  return items;
}

function againstList(items: readonly ArgValue[], rules: ListRules, rule: TextRule | undefined) {
  const { min, max, separator } = rules;
  if (items.length < min) {
    return [`expected at least ${plural(min, "item")}, found ${items.length}`];
  }
  if (items.length > max) return [`expected at most ${plural(max, "item")}, found ${items.length}`];
  return items.flatMap((item, index) => {
    const text = String(item);
    if (rules.enum !== undefined && !rules.enum.includes(item)) {
      return [`item ${index + 1} must be one of: ${valuesText(rules.enum)}`];
    }
    const reason = rules.enum === undefined ? textReason(item, rule) : undefined;
    if (reason !== undefined) return [`item ${index + 1}, ${reason}`];
    if (separator !== undefined && text.includes(separator)) {
      return [`item ${index + 1}, ${quote(text)}, contains '${separator}', which parts the items`];
    }
    return [];
  });
}

function cannotConvert(raw: unknown, type: string): InvalidValue {
  return new InvalidValue(`cannot convert ${quoteValue(raw)} to ${type}`);
}

function quoteValue(raw: unknown): string {
  return quote(typeof raw === "string" ? raw : JSON.stringify(raw));
}

interface Characters {
  readonly refused: RegExp;
  readonly accepted: string;
  readonly wider?: (found: string) => TextRule;
}

const lineBreaks = ["\n", "\r\n", "\u2028", "\u2029"];

/** The characters that each rule refuses. git, for example, silently drops some control characters from names. */
const characters: Readonly<Record<Exclude<TextRule, "any" | "json">, Characters>> = {
  url: {
    refused: /[\p{Cc}\p{Cf}\p{Cs}\p{Z}]/u,
    accepted: "a URL, without control characters and white space (%20 is a space)",
  },
  line: {
    // deno-lint-ignore no-control-regex
    refused: /\r\n|[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]/,
    accepted: "one line, without control characters but tab",
    wider: (found) => lineBreaks.includes(found) ? "multiline" : "any",
  },
  multiline: {
    // deno-lint-ignore no-control-regex
    refused: /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)/,
    accepted: "a text without control characters but tab and line breaks (LF, CR LF)",
    wider: () => "any",
  },
};

export function textReason(text: ArgValue, rule: TextRule = "any"): string | undefined {
  if (rule === "any" || typeof text !== "string") return undefined;
  const { refused, accepted, wider } = characters[rule === "json" ? "multiline" : rule];
  const found = refused.exec(text)?.[0];
  if (found === undefined) return undefined;
  const code = found.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
  const allowed = wider === undefined ? "" : `; a config can allow it with 'text: ${wider(found)}'`;
  return `${
    quote(escapeInvisible(excerpt(text, 100)))
  } contains U+${code} and must be ${accepted}${allowed}`;
}

type ArgNames = Readonly<Record<"all" | "free" | "secret", ReadonlySet<string>>>;

const namesByArgs = new WeakMap<readonly Arg[], ArgNames>();

export function argNames(args: readonly Arg[]): ArgNames {
  return namesByArgs.getOrInsertComputed(args, () => {
    const names = (some: readonly Arg[]) => new Set(some.map(({ name }) => name));
    return {
      all: names(args),
      free: names(args.filter(({ fixed }) => fixed === undefined)),
      secret: names(args.filter(({ constraint }) => constraint?.secret)),
    };
  });
}

export function maskValues(
  { args }: Pick<Tool, "args">,
  values: Iterable<readonly [string, unknown]>,
): Record<string, unknown> {
  const { secret } = argNames(args);
  const masked = Array.from(values, ([name, value]) => [name, secret.has(name) ? "***" : value]);
  return Object.fromEntries(masked);
}
