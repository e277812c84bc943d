/**
 * Raw arguments → typed values, defaults filled in, or every reason why not.
 *
 * Only the definitions of the arguments decide, not the JSON Schema shown to the agent. What the
 * values may be beyond their type is the policy's business.
 */

import { quote } from "../text/excerpt.ts";
import { nearNames } from "../text/similar_names.ts";
import type { Arg, ArgValue, ArgValues, Tool } from "../tool/tool.ts";
import { InvalidValue, readValue, validateValue } from "../tool/value.ts";
import { ownProperty } from "../text/own_property.ts";

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
 * argument are ignored, fixed ones among them, or passed on where the tool is open; except one that
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
    const near = nearNames(key, absent).filter((name) => isLikely(key, name));
    if (near.length > 0) {
      return [`Unknown argument ${quote(key)}. Did you mean: ${near.join(", ")}`];
    }
    if (!refusesAll) return [];
    return [`Unknown argument ${quote(key)}. Arguments: ${names.join(", ") || "none"}`];
  });
}

/** Of names as short as `n` each is near to every other. */
function isLikely(key: string, name: string): boolean {
  return Math.min(key.length, name.length) > 2 || key.toLowerCase() === name.toLowerCase();
}

/** Adds what `given` has beyond `args`, as it is. */
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
