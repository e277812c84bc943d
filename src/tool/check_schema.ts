/**
 * Checks arguments by the JSON Schema of a server's tool. A hostile schema could block climax for all clients, so a
 * check has a bounded number of steps; the server must check arguments anyway.
 */

import { excerpt, quote } from "../text/excerpt.ts";
import { isObject, ownProperty } from "../text/own_property.ts";
import { fits, resolveRef, type Schema } from "./schema_value.ts";

/** A check ends after this many steps. A step takes about a microsecond. */
const maxSteps = 20_000;

/**
 * The most reasons, and the most characters of allowed values, that a refusal lists; and how deep values are checked.
 */
const maxReasons = 20;
const maxDepth = 50;
const maxShown = 2_000;

type Place = string;

/** Returns the reasons why the arguments `values` do not fit the schema; an empty list if they fit. */
export function checkSchema(schema: Schema, values: Readonly<Record<string, unknown>>): string[] {
  return new SchemaCheck(schema).check(schema, values, "", 0);
}

export function fitsSchema(root: Schema, schema: unknown, value: unknown): boolean {
  return new SchemaCheck(root).check(schema, value, "", 0).length === 0;
}

class SchemaCheck {
  readonly #root: Schema;
  #steps = 0;

  constructor(root: Schema) {
    this.#root = root;
  }

  check(written: unknown, value: unknown, place: Place, depth: number): string[] {
    if (++this.#steps > maxSteps || depth > maxDepth) return [];
    if (written === false) return [`${subject(place)} is not allowed`];
    const schema = resolveRef(written, this.#root);
    this.#steps += Object.keys(schema).length / 2;
    const misfit = checkType(schema, value, place) ?? this.#checkValues(schema, value, place);
    if (misfit !== undefined) return [misfit];
    const reasons = Array.isArray(value)
      ? this.#checkItems(schema, value, place, depth)
      : isObject(value)
      ? this.#checkProperties(schema, value, place, depth)
      : [];
    this.#steps += reasons.length;
    return reasons.slice(0, maxReasons);
  }

  #checkValues({ enum: all, const: only }: Schema, value: unknown, place: Place) {
    const allowed = only !== undefined ? [only] : Array.isArray(all) ? all : undefined;
    if (allowed === undefined) return undefined;
    const json = JSON.stringify(value);
    this.#steps += json.length / 100 + (allowed.length - 1) / 4;
    if (allowed.some((each) => JSON.stringify(each) === json)) return undefined;
    const shown = allowed.slice(0, maxShown).map((each) => {
      return typeof each === "string" ? each : JSON.stringify(each);
    });
    return only === undefined
      ? `${subject(place)} must be one of: ${excerpt(shown.join(", "), maxShown)}`
      : `${subject(place)} must be ${show(only)}`;
  }

  #checkItems(
    { items, prefixItems }: Schema,
    value: readonly unknown[],
    place: Place,
    depth: number,
  ): string[] {
    const first = Array.isArray(prefixItems) ? prefixItems : [];
    return value.flatMap((item, index) => {
      const own = index < first.length ? first[index] : items ?? true;
      return own === true || Array.isArray(own)
        ? []
        : this.check(own, item, `${place}[${index}]`, depth + 1);
    });
  }

  #checkProperties(
    schema: Schema,
    value: Readonly<Record<string, unknown>>,
    place: Place,
    depth: number,
  ): string[] {
    const properties = isObject(schema["properties"]) ? schema["properties"] : {};
    const { additionalProperties, patternProperties } = schema;
    const required = Array.isArray(schema["required"]) ? schema["required"] : [];
    const inside = (key: string) => place === "" ? key : `${place}.${key}`;
    this.#steps += required.length / 8;
    const missing = required
      .filter((key) => typeof key === "string" && !Object.hasOwn(value, key))
      // A required argument with a default may be absent, since the server may fill it in
      .filter((key) => ownProperty(ownProperty(properties, key), "default") === undefined)
      .slice(0, maxReasons)
      .map((key) => `Missing required argument '${inside(key)}'`);
    const wrong = Object.entries(value).flatMap(([key, inner]) => {
      if (Object.hasOwn(properties, key)) {
        return this.check(properties[key], inner, inside(key), depth + 1);
      }
      if (patternProperties !== undefined || additionalProperties === undefined) return [];
      if (additionalProperties === false) {
        return place === "" ? [] : [`${subject(inside(key))} is not known`];
      }
      return this.check(additionalProperties, inner, inside(key), depth + 1);
    });
    return [...missing, ...wrong];
  }
}

function subject(place: Place): string {
  return place === "" ? "The arguments" : `Argument '${place}'`;
}

function checkType({ type }: Schema, value: unknown, place: Place): string | undefined {
  const types = [type].flat().filter((each) => typeof each === "string");
  const isKnown = types.length > 0 && types.every((each) => knownTypes.has(each));
  if (!isKnown || fits(value, new Set(types))) return undefined;
  return `${subject(place)}: cannot convert ${show(value)} to ${types.join(" or ")}`;
}

const knownTypes = new Set(["null", "array", "object", "string", "number", "boolean", "integer"]);

function show(value: unknown): string {
  return quote(typeof value === "string" ? value : JSON.stringify(value) ?? "nothing");
}
