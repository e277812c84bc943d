/** The help of the whole program, made from the table of commands alone. */

import { bundledNames } from "../sources/command/bundled_names.ts";
import { configSets } from "../sources/command/sets.ts";
import { coloured, type Stream } from "../terminal.ts";
import type { CommandTable } from "./command.ts";
import { asTyped } from "./typed_command.ts";

/** Returns the text of `climax --help`, for `stream`. */
export function programHelp({ groups }: CommandTable, stream: Stream): string {
  const names = groups.values().toArray().flat().map(({ name }) => name.length);
  const width = Math.max(...names) + 2;
  const lists = groups.entries().toArray().map(([heading, entries]) => {
    const lines = entries.flatMap(({ name, summary }) => {
      return summary === undefined
        ? []
        : [`  ${coloured(name.padEnd(width), "cyan", stream)}${summary}`];
    });
    return [coloured(`${heading}:`, "bold", stream), ...lines].join("\n");
  });
  const usage = `${coloured("Usage:", "bold", stream)} ${head}`;
  return asTyped([usage, ...lists, end].join("\n\n"));
}

const head = `climax CONFIG... [options]
       climax COMMAND [words] [options]

Makes command-line programs and MCP servers usable by AI agents. A CONFIG is the
name of a bundled config or of one of your own, or the path of a YAML file.`;

const end = `climax COMMAND --help prints the words of a command, with examples

${wrapped(`Bundled configs: ${[...bundledNames].join(", ")}`)}
${wrapped(`Sets of them: ${[...configSets.keys()].join(", ")}`)}
Options of every command: --color auto|always|never; -q, --quiet: results and
  errors only; -v, --verbose: more log lines
Exit codes: 0 done, 1 refused, failed or nothing found, 2 wrong usage, 3 a
  file is wrong or missing, 4 internal error
Environment: CLIMAX_LOG_FILE names a file that log lines are appended to,
  CLIMAX_AUDIT_FILE one that gets a line of JSON for each call, CLIMAX_CONFIG
  the configs, commas between them, of command lines that name none;
  NO_COLOR switches colours off, FORCE_COLOR switches them on`;

/** True when `word` begins the names of commands, such as `policy`. */
export function isGroup(word: string, { commands }: CommandTable): boolean {
  return commands.keys().some((name) => name.startsWith(`${word} `));
}

/** Returns the help of the commands whose names begin with `word`. */
export function groupHelp(
  word: string,
  { commands }: CommandTable,
  stream: Stream,
): string {
  const own = commands.values().toArray().filter(({ name }) => name.startsWith(`${word} `));
  const width = Math.max(...own.map(({ name }) => name.length)) + 2;
  return asTyped([
    `${coloured("Usage:", "bold", stream)} climax ${word} COMMAND [words] [options]`,
    "",
    ...own.map(({ name, summary = "" }) =>
      `  ${coloured(name.padEnd(width), "cyan", stream)}${summary}`
    ),
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
