/** Removes control sequences for terminals, which an agent can only misread. */

/**
 * Escape sequences of ECMA-48 (5th edition, section 5), in seven and in eight bits: control sequences
 * (CSI), control strings (OSC, DCS, SOS, PM, APC) up to their end, every other escape with its final
 * character, and the controls of both sets but tab, line feed and carriage return. Each part of the pattern
 * excludes the next, so the time is linear in the text.
 */
const controlSequence =
  // deno-lint-ignore no-control-regex
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]?|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;

/** Characters of which every match has one. */
// deno-lint-ignore no-control-regex
const control = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/;

/** Removes terminal control sequences from `text`. */
export function stripControlSequences(text: string): string {
  return control.test(text) ? text.replace(controlSequence, "") : text;
}
