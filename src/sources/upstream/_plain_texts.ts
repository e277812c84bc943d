/**
 * What a server says without what would steer a terminal: an agent can only misread it, and a person who
 * looks at the agent's terminal would have a server write there what it likes.
 */

import { stripControlSequences } from "../../text/control_sequences.ts";

/** `value` with every text in it plain, names of keys too. */
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

/** Keywords of a schema whose text is for readers alone. */
const labels: ReadonlySet<string> = new Set(["title", "description", "$comment"]);

/** Keywords whose value is one that arguments have, or is compared with one. */
const values: ReadonlySet<string> = new Set(["const", "default", "enum", "examples"]);

/** Keywords whose value has names of its own, each with a schema. */
const maps: ReadonlySet<string> = new Set([
  ...["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"],
]);

/** `schema` with its labels plain; what arguments are compared with stays what it is. */
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
