/** Counts the rows of options in a help by the look of its lines alone, without the reader. */

import type { CommandHelp, OptionHelp } from "../../src/help/command_help.ts";

/** A dash word behind blanks, or behind the frame of a box. */
const row = /^\s*(?:│\s*(?:\*\s+)?)?(--?(?:\[no-?\])?[A-Za-z0-9?#@][\w.@-]*)/;

/** Returns the rows that are neither options of `help` nor counted as not read. */
export function uncounted(text: string, help: CommandHelp): string[] {
  const all = [help, ...help.subcommands.flatMap((each) => each.help ?? [])];
  const options = all.flatMap((each) => each.options);
  const names = new Set(options.flatMap(namesOf).map(bare));
  const glued = options.filter(({ glue }) => glue !== undefined).flatMap(namesOf);
  const counted = new Set(
    all.flatMap(({ unread, lost }) => [...unread, ...lost]).map((line) => line.split(/\s/)[0]),
  );
  // Prose stays prose, and examples stay examples, as long as their indentation does
  let [prose, examples] = [-1, Infinity];
  // deno-lint-ignore no-control-regex
  return text.replace(/[^\n]\x08|\r/g, "").split("\n").filter((line) => {
    const indent = line.search(/\S/);
    const [, name] = row.exec(line) ?? [];
    const isRow = name !== undefined && prose !== indent && indent <= examples;
    if (/^\s*examples?:?\s*$/i.test(line)) examples = indent;
    else if (indent !== -1 && indent <= examples) examples = Infinity;
    if (name === undefined) prose = indent;
    else if (isRow) prose = /.*\S\s{2,}(?=\S)/.exec(line)?.[0].length ?? -1;
    return isRow && !names.has(bare(name)) && !glued.some((each) => name.startsWith(each)) &&
      !counted.has(line.trim().split(/\s/)[0]);
  });
}

function namesOf({ names, negations }: OptionHelp): string[] {
  return [...names, ...negations];
}

function bare(name: string): string {
  return name.replace(/\[no-?\]/, "").replace(/[^\w]+$/, "").toLowerCase();
}
