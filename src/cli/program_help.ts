/** The help of the whole program, made from the table of commands alone. */

import { bundledConfigs } from "../sources/command/bundled.ts";
import { configSets } from "../sources/command/sets.ts";
import type { CommandTable } from "./command.ts";
import { asTyped } from "./typed_command.ts";

/** Returns the text of `climax --help`. */
export function programHelp({ groups }: CommandTable): string {
  const names = groups.values().toArray().flat().map(({ name }) => name.length);
  const width = Math.max(...names) + 2;
  const lists = groups.entries().toArray().map(([heading, entries]) => {
    const lines = entries.flatMap(({ name, summary }) => {
      return summary === undefined ? [] : [`  ${name.padEnd(width)}${summary}`];
    });
    return [`${heading}:`, ...lines].join("\n");
  });
  return asTyped([head, ...lists, end].join("\n\n"));
}

const head = `Usage: climax CONFIG... [options]
       climax COMMAND [words] [options]

Makes command-line programs and MCP servers usable by AI agents. A CONFIG is the
name of a bundled config or of one of your own, or the path of a YAML file.`;

const end = `climax COMMAND --help prints the words of a command, with examples

${wrapped(`Bundled configs: ${[...bundledConfigs.keys()].join(", ")}`)}
${wrapped(`Sets of them: ${[...configSets.keys()].join(", ")}`)}
Exit codes: 0 done, 1 refused, failed or nothing found, 2 wrong usage, 3 a
  file is wrong or missing, 4 internal error
Environment: CLIMAX_LOG_FILE names a file that log lines are appended to,
  CLIMAX_AUDIT_FILE one that gets a line of JSON for each call, CLIMAX_CONFIG
  the configs, commas between them, of command lines that name none, and
  NO_COLOR with any value takes the colours from a terminal`;

/** True when `word` begins the names of commands, such as `policy`. */
export function isGroup(word: string, { commands }: CommandTable): boolean {
  return commands.keys().some((name) => name.startsWith(`${word} `));
}

/** Returns the help of the commands whose names begin with `word`. */
export function groupHelp(word: string, { commands }: CommandTable): string {
  const own = commands.values().toArray().filter(({ name }) => name.startsWith(`${word} `));
  const width = Math.max(...own.map(({ name }) => name.length)) + 2;
  return asTyped([
    `Usage: climax ${word} COMMAND [words] [options]`,
    "",
    ...own.map(({ name, summary = "" }) => `  ${name.padEnd(width)}${summary}`),
    "",
    `climax ${own[0]!.name} --help prints the words of a command, with examples`,
  ].join("\n"));
}

/** The names of the commands that people call. */
export function namesShown({ commands }: CommandTable): string[] {
  return commands.values().toArray().filter(({ summary }) => summary !== undefined)
    .map(({ name }) => name);
}

/** Wraps `text` to the terminal's width, all lines but the first indented. */
function wrapped(text: string): string {
  return text.replaceAll(/(?=.{79})(.{1,77}) (?=\S)/g, "$1\n  ");
}
