/** One value against the keywords of JSON Schema that look at nothing but the value itself. */

import { quote } from "../../text/excerpt.ts";
import type { Schema } from "../../tool/schema_ref.ts";
import { isObject } from "../../text/own_property.ts";

/** A value's place in the arguments, `a.b[2]`; the arguments themselves have the empty one. */
export type Place = string;

/** Characters of a pattern or of a list of values that a reason shows. */
export const maxShown = 2_000;

/** How a reason names what is at `place`. */
export function subject(place: Place): string {
  return place === "" ? "The arguments" : `Argument '${place}'`;
}

/** Why `value` is not of the type that a schema asks for. */
export function checkType({ type }: Schema, value: unknown, place: Place): string | undefined {
  const types = [type].flat().filter((each) => typeof each === "string");
  if (types.length === 0 || types.some((each) => hasType(value, each))) return undefined;
  return `${subject(place)}: cannot convert ${show(value)} to ${types.join(" or ")}`;
}

function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    case "integer":
      return Number.isInteger(value);
    case "string":
      return typeof value === "string";
    case "number":
      return typeof value === "number";
    case "boolean":
      return typeof value === "boolean";
    default:
      return true;
  }
}

const written = new WeakMap<readonly unknown[], ReadonlySet<string>>();

/** Each of `values` as JSON, which of those in a schema is written once. */
export function jsonOfEach(values: readonly unknown[]): ReadonlySet<string> {
  const known = written.get(values);
  if (known !== undefined) return known;
  const all = new Set(values.map((each) => JSON.stringify(each)));
  written.set(values, all);
  return all;
}

/** Why a number is not within its bounds. */
export function checkNumber(schema: Schema, value: number, place: Place): string[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const reason = isNumber(minimum) && value < minimum
    ? `is less than minimum ${minimum}`
    : isNumber(maximum) && value > maximum
    ? `is greater than maximum ${maximum}`
    : isNumber(exclusiveMinimum) && value <= exclusiveMinimum
    ? `is not more than ${exclusiveMinimum}`
    : isNumber(exclusiveMaximum) && value >= exclusiveMaximum
    ? `is not less than ${exclusiveMaximum}`
    : isNumber(multipleOf) && multipleOf > 0 && Number.isInteger(multipleOf) &&
        value % multipleOf !== 0
    ? `is not a multiple of ${multipleOf}`
    : undefined;
  return reason === undefined ? [] : [`${subject(place)}: value '${value}' ${reason}`];
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}

/** Whether `value` is a number of something. */
export function isCount(value: unknown): value is number {
  return typeof value === "number" && value >= 0;
}

/** A value in quotes. */
export function show(value: unknown): string {
  return quote(typeof value === "string" ? value : JSON.stringify(value) ?? "nothing");
}
