/** START HERE for help texts: finds the layout of the text that a program printed for `--help`, and reads the text. */

import { stripControlSequences } from "../text/control_sequences.ts";
import { readAs } from "./_layout.ts";
import { gnu, layouts } from "./_layouts.ts";
import type { CommandHelp, SubcommandHelp } from "./command_help.ts";

/** A line of a help text is cut at this many characters, since the expressions that read help take quadratic time. */
export const maxLineLength = 2_000;
const maxEmptyLines = 8;

/** Reads a help text that a command printed; `words` is the command, with the program first. */
export function readHelp(text: string, words: readonly string[]): CommandHelp {
  // Manual pages make a letter bold by printing it, a backspace, and the letter again
  // deno-lint-ignore no-control-regex
  const whole = stripControlSequences(text.replace(/[^\n]\x08/g, "")).replaceAll("\r", "");
  const plain = boundLines(whole);
  const layout = layouts.find((each) => each.recognises(plain)) ?? gnu;
  return readAs(layout, plain, words);
}

function boundLines(text: string): string {
  let empty = 0;
  return text.split("\n").flatMap((line) => {
    empty = line.trim() === "" ? empty + 1 : 0;
    return empty > maxEmptyLines ? [] : line.slice(0, maxLineLength);
  }).join("\n");
}

export function readRow(row: SubcommandHelp, words: readonly string[]): CommandHelp {
  const layout = { ...gnu, lowerCaseArguments: true };
  const help = readAs(layout, `usage: ${words.join(" ")} ${row.usage}\n`, words);
  return { ...help, description: row.description, lostPositionals: [] };
}
