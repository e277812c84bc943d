/** Takes out what a program wrote to steer a terminal, which an agent can only misread. */

/**
 * Escape sequences of ECMA-48 (5th edition, section 5): control sequences (CSI), control strings
 * (OSC, DCS, SOS, PM, APC) up to their end, and every other escape with its final character. Each
 * part of the pattern excludes the next, so the time is linear in the text.
 */
const controlSequence =
  // deno-lint-ignore no-control-regex
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|\x1b[\]PX^_][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]?|\x9c/g;

/** `text` without terminal control sequences. */
export function stripControlSequences(text: string): string {
  return text.includes("\x1b") || text.includes("\x9b") ? text.replace(controlSequence, "") : text;
}
