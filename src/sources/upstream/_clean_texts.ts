/** Removes terminal control sequences from texts of servers, and shows hidden characters by codes such as ⟨U+202E⟩. */

import { maskTexts } from "../../files/json.ts";
import { stripControlSequences } from "../../text/control_sequences.ts";
import { showHidden } from "../../text/escape.ts";

export function plainTexts<Value>(value: Value): Value {
  return maskTexts(value, stripControlSequences) as Value;
}

export function cleanTexts<Value>(value: Value): Value {
  return maskTexts(value, cleanText) as Value;
}

export function cleanText(text: string): string {
  // The regular expressions for hidden characters take long to compile, and plain ASCII text does not need them
  return /^[\t\n\r -~]*$/.test(text) ? text : showHidden(stripControlSequences(text));
}
