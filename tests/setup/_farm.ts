/** A small program with subcommands, which can be changed between two looks at it. */

import { join } from "node:path";
import { writeProgram } from "../e2e/_scratch.ts";

/** What the program of a test has. */
export interface Farm {
  /** Help texts by subcommand; the empty name is the program's own. */
  readonly helps: Readonly<Record<string, string>>;
}

/** A farm with two commands. */
export const farm: Farm = {
  helps: {
    "": `Usage: farm [options] [command]

Looks after a farm

Options:
  -V, --version   output the version number
  -h, --help      display help for command

Commands:
  list [options]          List the animals
  sell [options] <animal> Sell an animal
  help [command]          display help for command
`,
    list: `Usage: farm list [options]

List the animals

Options:
  --kind <kind>      only these (choices: "cow", "hen")
  -n, --limit <n>    at most so many (default: 20)
  --tag <tag...>     only with these tags
  -w, --watch        go on looking
  -h, --help         display help for command
`,
    sell: `Usage: farm sell [options] <animal>

Sell an animal

Options:
  --price <number>   what it costs
  --hook <command>   run a command afterwards
  -f, --force        do not ask
  -h, --help         display help for command
`,
  },
};

/** Writes the program into `dir`; returns its path. Every command line it gets is in `farm.log`. */
export function writeFarm(dir: string, { helps }: Farm = farm): string {
  const path = join(dir, "farm");
  const cases = Object.entries(helps).map(([name, text]) => {
    const words = name === "" ? "--help" : `${name} --help`;
    return `"${words}") cat <<'END'\n${text}END\n;;`;
  });
  const log = join(dir, "farm.log");
  const script = `#!/bin/sh
printf '%s\\n' "$*" >> '${log}'
case "$*" in
${cases.join("\n")}
--version) echo "farm 1.0";;
list*) echo "cow hen $*";;
*) echo "farm: unknown command" >&2; exit 2;;
esac
`;
  writeProgram(path, script);
  return path;
}
