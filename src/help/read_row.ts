/** Reads commands without a help text of their own from their row in the parent's help. */

import type { CommandHelp, SubcommandHelp } from "./command_help.ts";
import { positionalOf } from "./_positionals.ts";
import { readUsages } from "./_usage.ts";

/** The help of such a command. */
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
