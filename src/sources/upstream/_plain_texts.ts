/**
 * Removes terminal control sequences from texts of servers: an agent can only misread them, and in the terminal of a
 * person they would let a server write anywhere.
 */

import { stripControlSequences } from "../../text/control_sequences.ts";

/** Cleans every text in `value`, names of keys included. */
export function plainTexts<Value>(value: Value): Value {
  return mapped(value) as Value;
}

function mapped(value: unknown): unknown {
  if (typeof value === "string") return stripControlSequences(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(mapped);
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [stripControlSequences(key), mapped(inner)]),
  );
}

/** Schema keywords with a text for readers only. */
const labels: ReadonlySet<string> = new Set(["title", "description", "$comment"]);

/** Schema keywords with values of arguments. */
const values: ReadonlySet<string> = new Set(["const", "default", "enum", "examples"]);

/** Schema keywords with a schema for each name. */
const maps: ReadonlySet<string> = new Set([
  ...["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"],
]);

/** Cleans the labels of `schema`; values that arguments are compared with stay unchanged. */
export function plainSchema<Schema>(schema: Schema): Schema {
  return plainSchemas(schema, false) as Schema;
}

function plainSchemas(value: unknown, isMap: boolean): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((inner) => plainSchemas(inner, false));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      if (isMap) return [key, plainSchemas(inner, false)];
      if (labels.has(key) && typeof inner === "string") return [key, stripControlSequences(inner)];
      return [key, values.has(key) ? inner : plainSchemas(inner, maps.has(key))];
    }),
  );
}
