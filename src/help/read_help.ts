/** START HERE for help texts: reads one text in its layout. */

import { stripControlSequences } from "../text/control_sequences.ts";
import { readAs } from "./_layout.ts";
import { gnu, layouts } from "./_layouts.ts";
import { positionalOf } from "./_positionals.ts";
import { readUsages } from "./_usage.ts";
import type { CommandHelp, SubcommandHelp } from "./command_help.ts";

/** Reads the help that the command `words` (program first) printed. */
export function readHelp(text: string, words: readonly string[]): CommandHelp {
  const plain = stripControlSequences(withoutOverstrikes(text)).replaceAll("\r", "");
  const layout = layouts.find((each) => each.recognises(plain)) ?? gnu;
  return readAs(layout, plain, { words });
}

/** Manual pages print a letter, go back, and print it again to make it bold. */
function withoutOverstrikes(text: string): string {
  // deno-lint-ignore no-control-regex
  return text.replace(/[^\n]\x08/g, "");
}

/** The help of a command without a text of its own, from its row in the help of the command above. */
export function readRow(row: SubcommandHelp, words: readonly string[]): CommandHelp {
  const line = { indent: 0, text: `${words.join(" ")} ${row.usage}` };
  const options = { words, lowerCase: true, hasSubcommands: false, switches: new Set<string>() };
  const usage = readUsages([line], options);
  return {
    layout: "gnu",
    description: row.description,
    options: [],
    positionals: usage.arguments.map((each) => positionalOf(each, undefined)),
    lostPositionals: [],
    subcommands: [],
    isGroup: false,
    mentionsInput: false,
    isInteractiveAlone: false,
    optionLines: 0,
    unread: [],
    otherUsages: [],
  };
}
