/**
 * Raw arguments → typed values, defaults filled in, or every reason why not.
 *
 * Only the definitions of the arguments decide, not the JSON Schema shown to the agent. What the
 * values may be beyond their type is the policy's business.
 */

import { quote } from "../text/excerpt.ts";
import { nearNames } from "../text/near_names.ts";
import { plural } from "../text/plural.ts";
import type { Arg, ArgType, ArgValue, ArgValues, ListRules, Tool } from "../tool/tool.ts";

/** The values, or the reasons in the contract's order: required, types, enums, unknown names. */
export type Coercion =
  | { readonly ok: true; readonly values: ArgValues }
  | { readonly ok: false; readonly reasons: readonly string[] };

/** Settings of {@linkcode coerceArgs}. */
export interface CoerceOptions {
  /** Whether every key that names no argument is refused. @default false */
  readonly refusesUnknown?: boolean | undefined;
}

/**
 * Coerces what an agent sent for `args`. A value of `null` counts as not given. Keys that name no
 * argument are ignored, fixed ones among them, unless the tool is open and they are passed on, or one
 * is near to an argument that was not given: then that was meant, and to leave it out is to do
 * something else.
 */
export function coerceArgs(
  { args, isOpen = false }: Pick<Tool, "args" | "isOpen">,
  given: Readonly<Record<string, unknown>>,
  { refusesUnknown = false }: CoerceOptions = {},
): Coercion {
  const missing: string[] = [];
  const mistyped: string[] = [];
  const notAllowed: string[] = [];
  const values = new Map<string, ArgValue>();
  for (const arg of args) {
    if (arg.fixed !== undefined) {
      values.set(arg.name, arg.fixed);
      continue;
    }
    const raw = Object.hasOwn(given, arg.name) ? given[arg.name] : undefined;
    if (raw === undefined || raw === null) {
      if (arg.required) missing.push(`Missing required argument '${arg.name}'`);
      else if (arg.default !== undefined) values.set(arg.name, arg.default);
      continue;
    }
    const value = arg.list === undefined ? coerce(raw, arg.type) : coerceList(raw, arg.list);
    if (value instanceof Unfit) {
      mistyped.push(`Argument '${arg.name}': ${value.reason}`);
    } else if (arg.list !== undefined) {
      const reasons = againstList(value as ArgValue[], arg.list);
      notAllowed.push(...reasons.map((reason) => `Argument '${arg.name}': ${reason}`));
      values.set(arg.name, value);
    } else if (arg.enum !== undefined && !arg.enum.includes(value)) {
      notAllowed.push(`Argument '${arg.name}' must be one of: ${arg.enum.join(", ")}`);
    } else {
      values.set(arg.name, value);
    }
  }
  if (isOpen) passOn(args, given, values);
  const unknown = isOpen ? [] : unknownNames(args, given, refusesUnknown);
  const reasons = [...missing, ...mistyped, ...notAllowed, ...unknown];
  return reasons.length === 0 ? { ok: true, values } : { ok: false, reasons };
}

/** Keys that are compared with the arguments: an agent may send a million. */
const maxCompared = 20;

/** What there is against keys of `given` that name no argument. */
function unknownNames(
  args: readonly Arg[],
  given: Readonly<Record<string, unknown>>,
  refusesAll: boolean,
): string[] {
  const names = args.filter(({ fixed }) => fixed === undefined).map(({ name }) => name);
  const known = new Set(names);
  const unknown = Object.keys(given).filter((key) => !known.has(key) && given[key] !== null);
  if (unknown.length === 0) return [];
  const absent = names.filter((name) => !Object.hasOwn(given, name) || given[name] === null);
  return unknown.slice(0, maxCompared).flatMap((key) => {
    const near = nearNames(key, absent);
    if (near.length > 0) {
      return [`Unknown argument ${quote(key)}. Did you mean: ${near.join(", ")}`];
    }
    if (!refusesAll) return [];
    return [`Unknown argument ${quote(key)}. Arguments: ${names.join(", ") || "none"}`];
  });
}

/** Adds what `given` has beyond `args`, as it is. */
function passOn(
  args: readonly Arg[],
  given: Readonly<Record<string, unknown>>,
  values: Map<string, ArgValue>,
): void {
  const known = new Set(args.map(({ name }) => name));
  for (const [name, value] of Object.entries(given)) {
    if (!known.has(name) && value !== undefined) values.set(name, value as ArgValue);
  }
}

/** Why a value cannot be what it has to be. */
export class Unfit {
  constructor(readonly reason: string) {}
}

/**
 * One value as `type`.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(coerce("42", "integer"), 42);
 * assert.equal(coerce(42.0, "string"), "42");
 * assert.deepEqual(coerce("0x10", "integer"), new Unfit("cannot convert '0x10' to integer"));
 * ```
 */
export function coerce(raw: unknown, type: ArgType): ArgValue | Unfit {
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

/**
 * A list as `rules` have it. A text of a JSON array, which models send often, is that array, and any
 * other single value a list of one.
 */
function coerceList(raw: unknown, rules: ListRules): ArgValue[] | Unfit {
  const given = listOf(raw);
  const items: ArgValue[] = [];
  for (const [index, item] of given.entries()) {
    const value = coerce(item, rules.type);
    if (value instanceof Unfit) {
      return given.length === 1 ? value : new Unfit(`item ${index + 1}: ${value.reason}`);
    }
    items.push(value);
  }
  return items;
}

function listOf(raw: unknown): readonly unknown[] {
  if (Array.isArray(raw)) return raw;
  if (typeof raw !== "string" || !raw.trimStart().startsWith("[")) return [raw];
  try {
    return JSON.parse(raw) as unknown[];
  } catch {
    return [raw];
  }
}

/** What `rules` have against a list of values of the right type. */
export function againstList(items: readonly ArgValue[], rules: ListRules): string[] {
  const { min, max, separator } = rules;
  if (items.length < min) {
    return [`expected at least ${plural(min, "item")}, found ${items.length}`];
  }
  if (items.length > max) return [`expected at most ${plural(max, "item")}, found ${items.length}`];
  return items.flatMap((item, index) => {
    const text = String(item);
    if (rules.enum !== undefined && !rules.enum.includes(item)) {
      return [`item ${index + 1} must be one of: ${rules.enum.join(", ")}`];
    }
    if (separator !== undefined && text.includes(separator)) {
      return [`item ${index + 1}, ${quote(text)}, contains '${separator}', which parts the items`];
    }
    return [];
  });
}

function toText(raw: unknown): string | Unfit | undefined {
  if (typeof raw === "number") return isInexact(raw) ? inexact(raw) : String(raw);
  if (typeof raw === "boolean") return String(raw);
  if (typeof raw !== "string") return undefined;
  if (raw.includes("\0")) return new Unfit("a NUL byte cannot be passed to a program");
  if (!raw.isWellFormed()) return new Unfit("a lone surrogate is not valid Unicode text");
  return raw;
}

function toInteger(raw: unknown): number | Unfit {
  const value = typeof raw === "string" && /^[+-]?\d+$/.test(raw) ? Number(raw) : raw;
  if (typeof value !== "number" || !Number.isInteger(value)) return cannotConvert(raw, "integer");
  if (Number.isSafeInteger(value)) return value + 0;
  return new Unfit(
    `${quoteValue(raw)} is beyond the integers that are exact, ±9007199254740991`,
  );
}

function toNumber(raw: unknown): number | Unfit | undefined {
  if (typeof raw === "number" && isInexact(raw)) return inexact(raw);
  const value = typeof raw === "string" && decimal.test(raw) ? Number(raw) : raw;
  if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
  if (typeof raw !== "string" || digitsOf(raw) === digitsOf(String(value))) return value;
  return new Unfit(`${quoteValue(raw)} has more digits than a number keeps exactly`);
}

const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Whether reading JSON may have made `value` of another: `1234567890123456789` becomes `…800`. */
function isInexact(value: number): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

function inexact(raw: number): Unfit {
  return new Unfit(
    `${quoteValue(raw)} may not be the number that was sent, since integers are exact up to ` +
      "±9007199254740991: send it as text",
  );
}

/** The digits of a decimal that say how much it is, where its point is aside. */
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

function cannotConvert(raw: unknown, type: ArgType): Unfit {
  return new Unfit(`cannot convert ${quoteValue(raw)} to ${type}`);
}

function quoteValue(raw: unknown): string {
  return quote(typeof raw === "string" ? raw : JSON.stringify(raw));
}
