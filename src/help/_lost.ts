/** Finds the rows of a help that belong to nothing that was read. */

import { isOptionLine } from "./_columns.ts";
import { continuesProse, type Entry, type Section } from "./_sections.ts";
import type { OptionHelp } from "./command_help.ts";

/** Returns lines that begin as an option does, or rows of a table, which are in no entry. */
export function findLost(
  sections: readonly Section[],
  entries: readonly Entry[],
  options: readonly OptionHelp[],
): string[] {
  const names = new Set(options.flatMap((option) => option.names));
  const read = new Set(entries.flatMap(({ lines }) => lines));
  return sections.flatMap(({ lines }) => {
    return lines.filter((line, index) => {
      if (read.has(line) || line.text === "") return false;
      return (isOptionLine(line) || /^\/[A-Z?]\S* {2,}/.test(line.text)) &&
        !names.has(/^[\w-]+/.exec(line.text)?.[0] ?? "") &&
        !continuesProse(line, lines[index - 1]);
    });
  }).map(({ text }) => text);
}
