/**
 * Raw arguments → typed values, defaults filled in, or every reason why not.
 *
 * Only the definitions of the arguments decide, not the JSON Schema shown to the agent. What the
 * values may be beyond their type is the policy's business.
 */

import { quote } from "../text/excerpt.ts";
import type { Arg, ArgType, ArgValue, ArgValues, Tool } from "../tool/tool.ts";

/** The values, or the reasons in the contract's order: required, types, enums. */
export type Coercion =
  | { readonly ok: true; readonly values: ArgValues }
  | { readonly ok: false; readonly reasons: readonly string[] };

/**
 * Coerces what an agent sent for `args`. A value of `null` counts as not given; keys that name no
 * argument are ignored, unless the tool is open.
 */
export function coerceArgs(
  { args, isOpen = false }: Pick<Tool, "args" | "isOpen">,
  given: Readonly<Record<string, unknown>>,
): Coercion {
  const missing: string[] = [];
  const mistyped: string[] = [];
  const notAllowed: string[] = [];
  const values = new Map<string, ArgValue>();
  for (const arg of args) {
    const raw = Object.hasOwn(given, arg.name) ? given[arg.name] : undefined;
    if (raw === undefined || raw === null) {
      if (arg.required) missing.push(`Missing required argument '${arg.name}'`);
      else if (arg.default !== undefined) values.set(arg.name, arg.default);
      continue;
    }
    const value = coerce(raw, arg.type);
    if (value instanceof Unfit) {
      mistyped.push(`Argument '${arg.name}': ${value.reason}`);
    } else if (arg.enum !== undefined && !arg.enum.includes(value)) {
      notAllowed.push(`Argument '${arg.name}' must be one of: ${arg.enum.join(", ")}`);
    } else {
      values.set(arg.name, value);
    }
  }
  if (isOpen) passOn(args, given, values);
  const reasons = [...missing, ...mistyped, ...notAllowed];
  return reasons.length === 0 ? { ok: true, values } : { ok: false, reasons };
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
    case "json":
      return raw as ArgValue;
  }
}

function toText(raw: unknown): string | Unfit | undefined {
  if (typeof raw === "number" || typeof raw === "boolean") return String(raw);
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

function toNumber(raw: unknown): number | undefined {
  const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
  const value = typeof raw === "string" && decimal.test(raw) ? Number(raw) : raw;
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
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
