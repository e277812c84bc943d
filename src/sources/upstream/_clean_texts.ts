/** Cleans texts of servers from terminal control sequences, and definitions from hidden characters: ⟨U+202E⟩. */

import { maskTexts } from "../../files/json.ts";
import { stripControlSequences } from "../../text/control_sequences.ts";
import { showHidden } from "../../text/escape.ts";

/** Removes control sequences from every text in `value`, a result, also from names of keys. */
export function plainTexts<Value>(value: Value): Value {
  return maskTexts(value, stripControlSequences) as Value;
}

/** Does what {@linkcode cleanText} does to every text in `value`. */
export function cleanTexts<Value>(value: Value): Value {
  return maskTexts(value, cleanText) as Value;
}

/** Removes control sequences from a text that describes something, and writes out its hidden characters. */
export function cleanText(text: string): string {
  // The usual text needs neither: the classes of invisible characters take long to compile
  return /^[\t\n\r -~]*$/.test(text) ? text : showHidden(stripControlSequences(text));
}

/** Schema keywords whose text is for readers only. */
const labels: ReadonlySet<string> = new Set(["title", "description", "$comment"]);

/** Schema keywords that hold values of arguments. */
const values: ReadonlySet<string> = new Set(["const", "default", "enum", "examples"]);

/** Schema keywords that hold a schema for each name. */
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
      if (labels.has(key) && typeof inner === "string") return [key, cleanText(inner)];
      return [key, values.has(key) ? inner : plainSchemas(inner, maps.has(key))];
    }),
  );
}
