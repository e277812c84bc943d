/** Repairs schemas of tools, since strict clients refuse all tools of a server if one keyword has a wrong value. */

import { isObject } from "../../text/own_property.ts";
import { findTarget, resolveRef, type Schema } from "../../tool/schema_value.ts";
import { cleanText } from "./_clean_texts.ts";
import { fitsSchema } from "../../tool/check_schema.ts";

const isText = (value: unknown) => typeof value === "string";
const isSchema = (value: unknown) => isObject(value) || typeof value === "boolean";
const isListOf = (fits: (value: unknown) => boolean) => (value: unknown) => {
  return Array.isArray(value) && value.length > 0 && value.every(fits);
};
const typeNames = new Set(["null", "array", "object", "string", "number", "boolean", "integer"]);
const isType = (value: unknown) => typeNames.has(value as string);

const kinds = {
  schema: [
    isSchema,
    "not if then else contains propertyNames contentSchema additionalItems additionalProperties " +
    "unevaluatedItems unevaluatedProperties",
  ],
  schemas: [isListOf(isSchema), "anyOf allOf oneOf prefixItems"],
  items: [(value: unknown) => isSchema(value) || isListOf(isSchema)(value), "items"],
  map: [isObject, "properties patternProperties $defs definitions dependentSchemas dependencies"],
  names: [Array.isArray, "required"],
  nameMap: [isObject, "dependentRequired"],
  types: [(value: unknown) => isType(value) || isListOf(isType)(value), "type"],
  values: [isListOf(() => true), "enum"],
  examples: [Array.isArray, "examples"],
  value: [() => true, "default const"],
  label: [isText, "title description $comment"],
  text: [
    isText,
    "$id $schema $ref $anchor $dynamicRef $dynamicAnchor format pattern contentMediaType contentEncoding",
  ],
  number: [Number.isFinite, "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf"],
  count: [
    Number.isSafeInteger,
    "minLength maxLength minItems maxItems minContains maxContains minProperties maxProperties",
  ],
  flag: [
    (value: unknown) => typeof value === "boolean",
    "uniqueItems deprecated readOnly writeOnly",
  ],
} as const;

type Kind = keyof typeof kinds;

const kindOf = new Map<string, Kind>(
  (Object.keys(kinds) as Kind[]).flatMap((kind) => {
    return kinds[kind][1].split(" ").map((keyword) => [keyword, kind] as const);
  }),
);

const names: ReadonlySet<string> = new Set(["$id", "id", "$anchor", "$dynamicAnchor", "nullable"]);

interface Reading {
  readonly root: Schema;
  readonly onMisfit?: (keyword: string) => void;
  readonly isMeaning?: boolean;
}

export function repairInput(schema: Schema): Schema {
  return read(schema, { root: schema }) as Schema;
}

export function repairOutput(
  written: unknown,
): { readonly schema: Schema } | { readonly reason: string } {
  const root = isObject(written) ? withObjectType(written) : undefined;
  if (root === undefined) return { reason: "it describes no object" };
  const misfits: string[] = [];
  const schema = read(root, { root, onMisfit: (keyword) => misfits.push(keyword) }) as Schema;
  return misfits.length === 0 ? { schema } : { reason: `it cannot be read: '${misfits[0]}'` };
}

export function withObjectType(schema: Schema): Schema | undefined {
  const { type } = schema;
  if (type === "object") return schema;
  const meant = type ?? resolveRef(schema, schema)["type"];
  return [meant].flat().includes("object") ? { ...schema, type: "object" } : undefined;
}

/** Returns the schema with lists such as `enum` sorted, so that schemas of equal meaning become equal. */
export function meaningOf(schema: unknown): unknown {
  return isObject(schema) ? read(schema, { root: schema, isMeaning: true }) : schema;
}

function read(schema: unknown, reading: Reading): unknown {
  if (!isObject(schema)) return schema;
  const { root, onMisfit, isMeaning = false } = reading;
  const entries = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    const kind = kindOf.get(key);
    const isUnknown = kind === undefined && typeof value === "object";
    if (onMisfit !== undefined && (isUnknown || names.has(key))) return [];
    if (kind === undefined) return [[key, value]];
    const isMisfit = !kinds[kind][0](value) ||
      (key === "$ref" && !leadsSomewhere(value, reading)) ||
      (onMisfit !== undefined && key === "pattern" && !isPattern(value as string));
    if (!isMisfit) return [[key, readKeyword(kind, value, reading)]];
    if (value !== null) onMisfit?.(key);
    return [];
  });
  const whole = Object.fromEntries(entries);
  const { default: own } = whole;
  if (isMeaning) {
    const parts = isText(own) && (own as string).split(",").map((part) => part.trim());
    return parts ? { ...whole, default: sorted(parts) } : whole;
  }
  if (own === undefined || own === null || fitsSchema(root, whole, own)) return whole;
  const { default: _, ...rest } = whole;
  return rest;
}

function readKeyword(kind: Kind, value: unknown, reading: Reading): unknown {
  const { isMeaning = false } = reading;
  const inner = (each: unknown) => read(isSchema(each) ? each : {}, reading);
  const named = (each: unknown) => inner(each === false ? { not: {} } : each === true ? {} : each);
  switch (kind) {
    case "schema":
    case "items":
    case "schemas":
      return Array.isArray(value) ? value.map(inner) : inner(value);
    case "map":
      return mapValues(value, (each) => isListOf(isText)(each) ? each : named(each));
    case "names":
      return isMeaning ? sorted(namesIn(value)) : namesIn(value);
    case "nameMap":
      return mapValues(value, isMeaning ? (each) => sorted(namesIn(each)) : namesIn);
    case "types":
    case "values":
      return isMeaning && Array.isArray(value) ? sorted(value) : value;
    case "label":
      return isMeaning ? value : cleanText(value as string);
    default:
      return value;
  }
}

function mapValues(map: unknown, change: (value: unknown) => unknown): object {
  return Object.fromEntries(
    Object.entries(map as object).map(([key, each]) => [key, change(each)]),
  );
}

function namesIn(value: unknown): unknown[] {
  return [value].flat().filter(isText);
}

function sorted(values: readonly unknown[]): unknown[] {
  const texts = values.map((each) => JSON.stringify(each));
  return values.map((each, at) => [texts[at]!, each] as const)
    .toSorted(([one], [other]) => one < other ? -1 : 1).map(([, each]) => each);
}

/** Returns whether a `$ref` leads to a part of the same schema: clients refuse one that leads elsewhere. */
function leadsSomewhere(ref: unknown, { root, onMisfit }: Reading): boolean {
  const isPointer = /^#(?:$|\/)/.test(String(ref));
  return isPointer ? findTarget(String(ref), root) !== undefined : onMisfit === undefined;
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, "u") !== undefined;
  } catch {
    return false;
  }
}
