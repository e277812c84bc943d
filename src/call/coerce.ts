/** Converts raw arguments to typed values and adds defaults, by their definitions, or returns every reason why not. */

import { quote } from "../text/excerpt.ts";
import { parseJsonText } from "../text/message_scan.ts";
import { nearNames } from "../text/similar_names.ts";
import type { Arg, ArgValue, ArgValues, Tool } from "../tool/tool.ts";
import { valueBySchema } from "../tool/schema_value.ts";
import { argNames, InvalidValue, readValue, renameAliases, validateValue } from "../tool/value.ts";
import { ownProperty } from "../text/own_property.ts";

/** Reasons are in this order: aliases, required, types, enums, unknown names. */
type Coercion =
  | {
    readonly ok: true;
    readonly values: ArgValues;
    /** The keys that name no argument, in order. The values have them only if the tool is open. */
    readonly unknown: readonly string[];
  }
  | {
    readonly ok: false;
    readonly reasons: readonly string[];
    /** True if the last reason is a key that is similar to no argument. */
    readonly endsUnknown: boolean;
  };

interface CoerceOptions {
  /** Refuses every key that names no argument. @default false */
  readonly refusesUnknown?: boolean | undefined;
}

/** The words in which models explain a call: never refused, and not worth a note. */
export const explanations: ReadonlySet<string> = new Set(
  ["reason", "explanation", "thought", "description"],
);

/**
 * Coerces the arguments of a call. `null` counts as absent. Keys that name no argument, or a fixed one, are
 * reported, and copied if the tool is open. A key that is similar to an absent argument is refused: it is most
 * likely a typing error, and a call without it would do something else.
 */
export function coerceArgs(
  { args, input, isOpen = false }: Pick<Tool, "args" | "input" | "isOpen">,
  sent: Readonly<Record<string, unknown>>,
  { refusesUnknown = false }: CoerceOptions = {},
): Coercion {
  const { given, reasons: contradictions } = renameAliases(args, sent);
  const missing: string[] = [];
  const mistyped: string[] = [];
  const notAllowed: string[] = [];
  const values = new Map<string, ArgValue>();
  for (const arg of args) {
    if (arg.fixed !== undefined) {
      values.set(arg.name, arg.fixed);
      continue;
    }
    const own = ownProperty(given, arg.name);
    if (own === undefined || own === null) {
      if (arg.required) missing.push(`Missing required argument '${arg.name}'`);
      else if (arg.default !== undefined) values.set(arg.name, arg.default);
      continue;
    }
    const raw = input !== undefined
      ? valueBySchema(own, ownProperty(input.properties, arg.name), input)
      : arg.type === "json"
      ? parseJsonText(own)
      : own;
    const value = readValue(raw, arg);
    if (value instanceof InvalidValue) {
      mistyped.push(`Argument '${arg.name}': ${value.reason}`);
    } else {
      notAllowed.push(...validateValue(value, arg));
      values.set(arg.name, value);
    }
  }
  if (isOpen) {
    const { all } = argNames(args);
    for (const [name, value] of Object.entries(given)) {
      if (!all.has(name) && value !== undefined) values.set(name, value as ArgValue);
    }
  }
  const { similar, unknown } = unknownNames(args, given);
  const names = unknown.slice(0, maxCompared).map(quote);
  if (missing.length > 0 && names.length > 0 && !isOpen) {
    const are = names.length === 1 ? "is no argument" : "are no arguments";
    missing.push(`${missing.pop()}. ${names.join(", ")} ${are}`);
  }
  const refused = refusesUnknown && missing.length === 0
    ? names.map((name) => `Unknown argument ${name}`)
    : [];
  const mistakes = [...contradictions, ...missing, ...mistyped, ...notAllowed];
  const reasons = [...mistakes, ...similar, ...refused];
  if (reasons.length > 0) return { ok: false, reasons, endsUnknown: refused.length > 0 };
  return { ok: true, values, unknown };
}

/** Most keys that are compared with the arguments, or named: an agent may send a million. */
export const maxCompared = 20;

function unknownNames(args: readonly Arg[], given: Readonly<Record<string, unknown>>) {
  const { free } = argNames(args);
  const keys = Object.keys(given).filter((key) => {
    return !free.has(key) && !explanations.has(key) && given[key] !== null;
  });
  if (keys.length === 0) return { similar: [], unknown: [] };
  const absent = [...free].filter((name) => !Object.hasOwn(given, name) || given[name] === null);
  const unknown = keys.slice(maxCompared);
  const similar = keys.slice(0, maxCompared).flatMap((key) => {
    // Names of two letters are all similar to each other
    const near = nearNames(key, absent).filter((name) => {
      return Math.min(key.length, name.length) > 2 || key.toLowerCase() === name.toLowerCase();
    });
    if (near.length > 0) {
      return [`Unknown argument ${quote(key)}. Did you mean: ${near.join(", ")}`];
    }
    unknown.push(key);
    return [];
  });
  return { similar, unknown };
}
