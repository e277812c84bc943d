/**
 * Converts a value that a model has sent in the wrong type to the type of its JSON Schema, if only one meaning is
 * possible: JSON text for a list or object, one value for a list, text for a number. Other values stay, and are checked
 * later.
 */

import { isObject, ownProperty } from "../text/own_property.ts";
import { parseJsonText } from "../text/message_scan.ts";
import type { ArgType } from "./tool.ts";
import { coerce, InvalidValue } from "./value.ts";
import { percentDecoded } from "../text/uri_spellings.ts";

/** Values nested more deeply than this are not converted, since a schema that refers to itself allows any depth. */
const maxLevels = 8;

export function valueBySchema(value: unknown, written: unknown, root: Schema, level = 0): unknown {
  const schema = resolveRef(written, root);
  const types = typesOf(schema);
  if (level > maxLevels || types.size === 0) return value;
  const meant = fits(value, types) ? value : convertBySchema(value, types);
  if (Array.isArray(meant) && types.has("array")) {
    const { items } = schema;
    return meant.map((item) => valueBySchema(item, items, root, level + 1));
  }
  if (!isObject(meant) || !isObject(schema["properties"])) return meant;
  const { properties } = schema;
  return Object.fromEntries(
    Object.entries(meant).map(([key, inner]) => {
      return [key, valueBySchema(inner, ownProperty(properties, key), root, level + 1)];
    }),
  );
}

function typesOf({ type, anyOf, oneOf, allOf }: Schema): ReadonlySet<unknown> {
  const branches = anyOf ?? oneOf;
  if (allOf !== undefined || (branches !== undefined && type !== undefined)) return new Set();
  const types = Array.isArray(branches)
    ? branches.flatMap((branch) => isObject(branch) ? branch["type"] : undefined)
    : [type].flat();
  return new Set(types.includes(undefined) ? [] : types);
}

/** Returns whether `value` has one of `types`, as JSON Schema names them. */
export function fits(value: unknown, types: ReadonlySet<unknown>): boolean {
  const own = Array.isArray(value) ? "array" : value === null ? "null" : typeof value;
  return types.has(own) || (types.has("integer") && Number.isInteger(value));
}

function convertBySchema(value: unknown, types: ReadonlySet<unknown>): unknown {
  const parsed = parseJsonText(value);
  if (parsed !== value && fits(parsed, types)) return parsed;
  const [only, ...others] = Array.isArray(value) ? value : [value];
  const one = others.length === 0 ? scalar(only, types) : undefined;
  if (fits(one, types)) return one;
  return types.has("array") && value !== null ? [value] : value;
}

const scalars: readonly ArgType[] = ["integer", "number", "boolean", "string"];

function scalar(value: unknown, types: ReadonlySet<unknown>): unknown {
  if (typeof value === "object") return undefined;
  return scalars.filter((type) => types.has(type)).map((type) => coerce(value, type))
    .find((each) => !(each instanceof InvalidValue));
}

export type Schema = Readonly<Record<string, unknown>>;

const maxHops = 10;

const maxRefLength = 300;
const maxKeywords = 100;

export function resolveRef(written: unknown, root: Schema): Schema {
  let schema = written;
  for (let hops = 0; hops < maxHops; hops++) {
    if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return {};
    const { $ref, ...rest } = schema as Record<string, unknown>;
    if (typeof $ref !== "string") return schema as Schema;
    const target = lookUp($ref, root);
    if (target === undefined) return rest;
    schema = Object.keys(rest).length === 0 ? target : { ...target, ...rest };
  }
  return {};
}

function lookUp(ref: string, root: Schema): Schema | undefined {
  const node = findTarget(ref, root);
  if (typeof node !== "object" || node === null) return undefined;
  return Object.keys(node).length > maxKeywords ? undefined : node as Schema;
}

export function findTarget(ref: string, root: Schema): unknown {
  if (ref === "#") return root;
  if (!ref.startsWith("#/") || ref.length > maxRefLength) return undefined;
  let node: unknown = root;
  for (const step of ref.slice(2).split("/")) {
    const key = percentDecoded(step).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof node !== "object" || node === null || !Object.hasOwn(node, key)) return undefined;
    node = (node as Record<string, unknown>)[key];
  }
  return node;
}
