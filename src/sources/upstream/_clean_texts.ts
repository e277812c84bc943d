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
