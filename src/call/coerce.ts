/**
 * Converts raw arguments to typed values and adds defaults, or returns every reason why not.
 *
 * Only the definitions of the arguments decide, not the JSON Schema that the agent sees. The policy checks the
 * values beyond their type.
 */

import { quote } from "../text/excerpt.ts";
import { nearNames } from "../text/similar_names.ts";
import { renameAliases } from "../tool/arg_aliases.ts";
import type { Arg, ArgValue, ArgValues, Tool } from "../tool/tool.ts";
import { InvalidValue, readValue, validateValue } from "../tool/value.ts";
import { ownProperty } from "../text/own_property.ts";

/** Reasons are in this order: aliases, required, types, enums, unknown names. */
export type Coercion =
  | { readonly ok: true; readonly values: ArgValues }
  | { readonly ok: false; readonly reasons: readonly string[] };

export interface CoerceOptions {
  /** Refuses every key that names no argument. @default false */
  readonly refusesUnknown?: boolean | undefined;
}

/**
 * Coerces the arguments of a call. `null` counts as absent. Keys that name no argument, or a fixed one, are
 * ignored, or copied if the tool is open. A key that is similar to an absent argument is refused: it is most
 * likely a typing error, and a call without it would do something else.
 */
export function coerceArgs(
  { args, isOpen = false }: Pick<Tool, "args" | "isOpen">,
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
    const raw = ownProperty(given, arg.name);
    if (raw === undefined || raw === null) {
      if (arg.required) missing.push(`Missing required argument '${arg.name}'`);
      else if (arg.default !== undefined) values.set(arg.name, arg.default);
      continue;
    }
    const value = readValue(raw, arg);
    if (value instanceof InvalidValue) {
      mistyped.push(`Argument '${arg.name}': ${value.reason}`);
    } else {
      notAllowed.push(...validateValue(value, arg));
      values.set(arg.name, value);
    }
  }
  if (isOpen) copyUnknownArguments(args, given, values);
  const unknown = unknownNames(args, given, refusesUnknown);
  const reasons = [...contradictions, ...missing, ...mistyped, ...notAllowed, ...unknown];
  return reasons.length === 0 ? { ok: true, values } : { ok: false, reasons };
}

/** Most keys that are compared with the arguments: an agent may send a million. */
const maxCompared = 20;

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
    const near = nearNames(key, absent).filter((name) => isLikely(key, name));
    if (near.length > 0) {
      return [`Unknown argument ${quote(key)}. Did you mean: ${near.join(", ")}`];
    }
    if (!refusesAll) return [];
    return [`Unknown argument ${quote(key)}. Arguments: ${names.join(", ") || "none"}`];
  });
}

/** Names of two letters are all similar to each other. */
function isLikely(key: string, name: string): boolean {
  return Math.min(key.length, name.length) > 2 || key.toLowerCase() === name.toLowerCase();
}

function copyUnknownArguments(
  args: readonly Arg[],
  given: Readonly<Record<string, unknown>>,
  values: Map<string, ArgValue>,
): void {
  const known = new Set(args.map(({ name }) => name));
  for (const [name, value] of Object.entries(given)) {
    if (!known.has(name) && value !== undefined) values.set(name, value as ArgValue);
  }
}
