/** Removes terminal control sequences from texts of servers, and writes out hidden characters: ⟨U+202E⟩. */

import { maskTexts } from "../../files/json.ts";
import { stripControlSequences } from "../../text/control_sequences.ts";
import { showHidden } from "../../text/escape.ts";

/** Removes control sequences from every text of a result, also from names of keys. */
export function plainTexts<Value>(value: Value): Value {
  return maskTexts(value, stripControlSequences) as Value;
}

/** Removes control sequences from every text in `value`, and writes out hidden characters. */
export function cleanTexts<Value>(value: Value): Value {
  return maskTexts(value, cleanText) as Value;
}

/** Removes control sequences from a text that describes something, and writes out its hidden characters. */
export function cleanText(text: string): string {
  // A text of plain ASCII needs neither: the classes of invisible characters take long to compile
  return /^[\t\n\r -~]*$/.test(text) ? text : showHidden(stripControlSequences(text));
}
