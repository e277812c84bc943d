/**
 * Describes the types of a JSON Schema in a few words; `…` replaces what would take many. Texts of the schema are
 * quoted, so that an agent cannot take them for instructions.
 */

import { jsonInOneLine } from "../text/escape.ts";
import { isObject } from "../text/own_property.ts";
import { resolveRef, type Schema } from "./schema_value.ts";

/** At most this many allowed values, alternatives or properties of a type are described. */
const maxParts = 12;
const maxLevels = 2;
/** Lists and maps nested more deeply than this are not described, since a schema may refer to itself. */
const maxLists = 4;
const maxValueLength = 40;

const never = "never";

export const leftOut = "…";

interface Depth {
  readonly objects: number;
  readonly lists: number;
}

const whole: Depth = { objects: maxLevels, lists: maxLists };

export function typeWords(written: unknown, root: Schema, depth = whole): string {
  if (written === false) return never;
  const schema = resolveRef(written, root);
  const [kind, range] = [kindWords(schema, root, depth), rangeWords(schema)];
  return kind === "" || range === "" ? kind + range : `${kind} ${range}`;
}

export function nameWords(name: string): string {
  return /^[\w.$/-]+$/.test(name) ? name : jsonInOneLine(name);
}

function propertyWords(schema: Schema, root: Schema, depth: Depth): string[] {
  const { isRequired, names, properties } = propertiesOf(schema);
  const words = firstParts(names, (name) => {
    const type = typeWords(properties[name], root, depth);
    return `${nameWords(name)}${isRequired(name) ? "" : "?"}${type === "" ? "" : `: ${type}`}`;
  });
  return [...words, ...restWords(schema, root, depth.lists)];
}

/** Describes the type of properties that a schema does not list by name, as `*: TYPE`. */
export function restWords(
  { additionalProperties: rest }: Schema,
  root: Schema,
  lists = maxLists,
): string[] {
  if (rest === undefined || rest === false) return [];
  if (lists <= 0) return [`*: ${leftOut}`];
  const type = rest === true ? "any" : typeWords(rest, root, { objects: 0, lists: lists - 1 });
  return [type === "" ? "*" : `*: ${type}`];
}

function kindWords(schema: Schema, root: Schema, depth: Depth): string {
  const values = schema["enum"] ?? (Object.hasOwn(schema, "const") ? [schema["const"]] : undefined);
  if (Array.isArray(values)) return valueWords(values);
  const choices = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(choices)) {
    if (depth.objects <= 0) return leftOut;
    const inner = { ...depth, objects: depth.objects - 1 };
    return firstParts(choices, (choice) => typeWords(choice, root, inner) || "string").join("|");
  }
  const { type } = schema;
  const types = Array.isArray(type) ? type : [type];
  if (types.length === 1) return oneKind(types[0], schema, root, depth);
  if (anyTypes.every((each) => types.includes(each))) return "any";
  return firstParts(types, (each) => oneKind(each, schema, root, depth) || "string").join("|");
}

/** Describes the first {@linkcode maxParts} parts of a type. Equal descriptions are given once. */
function firstParts<Part>(parts: readonly Part[], wordsOf: (part: Part) => string): string[] {
  const words = new Set(parts.slice(0, maxParts).map(wordsOf));
  return [...words, ...(parts.length > maxParts ? [leftOut] : [])];
}

export const anyTypes: readonly string[] = ["object", "array", "string", "number", "boolean"];

function oneKind(type: unknown, schema: Schema, root: Schema, depth: Depth): string {
  switch (type) {
    case "string":
      return formatWord(schema["format"]);
    case "integer":
    case "number":
    case "boolean":
    case "null":
      return type;
    case "array":
      return listWords(schema, root, depth);
    case "object":
      return objectWords(schema, root, depth);
    case undefined:
      if (Object.hasOwn(schema, "properties")) return objectWords(schema, root, depth);
      return composing.some((keyword) => Object.hasOwn(schema, keyword)) ? leftOut : "any";
    default:
      return leftOut;
  }
}

const composing = ["allOf", "not", "if", "items", "pattern", "patternProperties", "$ref"];
const composingObjects = [...composing, "anyOf", "oneOf", "dependentRequired", "dependentSchemas"];

/** Returns whether a schema of an object demands more than its list of properties says. */
export function isComposed(schema: Schema): boolean {
  return composingObjects.some((keyword) => Object.hasOwn(schema, keyword));
}

function formatWord(format: unknown): string {
  return typeof format === "string" && /^[a-z][a-z-]{1,30}$/.test(format) ? format : "";
}

function valueWords(values: readonly unknown[]): string {
  if (values.length === 0) return never;
  return firstParts(values, (value) => {
    const isPlain = typeof value === "string" && isWord(value) && values.length > 1;
    const word = isPlain ? value : jsonInOneLine(value);
    return word.length > maxValueLength ? leftOut : word;
  }).join("|");
}

function isWord(value: string): boolean {
  return /^[\w.:/+-]+$/.test(value) && !/^(?:[+-]?\d[\d.e+-]*|true|false)$/i.test(value) &&
    !typeNames.has(value);
}

const typeNames: ReadonlySet<string> = new Set([
  ...["string", "integer", "number", "boolean", "null", "array", "object", "any", never],
]);

function listWords(schema: Schema, root: Schema, depth: Depth): string {
  const { items } = schema;
  if (Array.isArray(items) || Object.hasOwn(schema, "prefixItems")) return `${leftOut}[]`;
  if (items === undefined) return "any[]";
  if (depth.lists <= 0) return `${leftOut}[]`;
  const words = typeWords(items, root, { ...depth, lists: depth.lists - 1 });
  const isOne = /^(?:[^ |]*|\{[^|]*\})$/.test(words);
  return `${isOne ? words || "string" : `(${words})`}[]`;
}

function objectWords(schema: Schema, root: Schema, depth: Depth): string {
  const { names } = propertiesOf(schema);
  if (names.length === 0) {
    const rest = restWords(schema, root, depth.lists).filter((words) => words !== "*: any");
    return rest.length === 0 ? "object" : `{${rest.join()}}`;
  }
  return `{${
    depth.objects <= 0
      ? leftOut
      : propertyWords(schema, root, { ...depth, objects: depth.objects - 1 }).join(", ")
  }}`;
}

function propertiesOf({ properties: written, required: needed }: Schema) {
  const properties = objectOf(written);
  const required = new Set(Array.isArray(needed) ? needed : []);
  const isRequired = (name: string) => required.has(name);
  const names = Object.keys(properties);
  return {
    properties,
    isRequired,
    names: [...names.filter(isRequired), ...names.filter((name) => !isRequired(name))],
  };
}

export function objectOf(written: unknown): Schema {
  return isObject(written) ? written : {};
}

function rangeWords(schema: Schema): string {
  const of = (keyword: string) => {
    const value = schema[keyword];
    return typeof value === "number" ? value : undefined;
  };
  const [above, below] = [of("exclusiveMinimum"), of("exclusiveMaximum")];
  const min = of("minimum") ?? of("minItems");
  const max = of("maximum") ?? of("maxItems");
  const low = above !== undefined && above >= (min ?? above) ? `>${above}` : `${min ?? ""}`;
  const high = below !== undefined && below <= (max ?? below) ? `<${below}` : `${max ?? ""}`;
  return low === "" && high === "" ? "" : `${low}..${high}`;
}
