/** START HERE for help texts: reads one text in its layout. */

import { argparse } from "./_argparse.ts";
import { clap } from "./_clap.ts";
import { click } from "./_click.ts";
import { cobra } from "./_cobra.ts";
import type { CommandHelp } from "./command_help.ts";
import { commander } from "./_commander.ts";
import { dotnet } from "./_dotnet.ts";
import { git } from "./_git.ts";
import { gnu } from "./_gnu.ts";
import { goFlag } from "./_go_flag.ts";
import { type Layout, readAs } from "./_layout.ts";
import { man } from "./_man.ts";
import { npm } from "./_npm.ts";
import { oclif } from "./_oclif.ts";
import { stripControlSequences } from "../text/control_sequences.ts";
import { yargs } from "./_yargs.ts";

/** From the most specific to the one that accepts everything. */
const layouts: readonly Layout[] = [
  oclif,
  dotnet,
  npm,
  git,
  argparse,
  click,
  goFlag,
  yargs,
  clap,
  cobra,
  commander,
  man,
  gnu,
];

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
