/** `climax script check`: says which tools a kept script may call, and whether it can be served. */

import { ExitCode } from "../../errors.ts";
import type { Command, CommandArguments, Example } from "../command.ts";
import { inFrontOfDashes, sessionOf } from "../config_words.ts";
import { openToolsFor, printReport, readKept, scriptPath } from "../script_file.ts";
import { shared } from "../options.ts";
import { printProblem } from "../output.ts";

export function define(command: Command) {
  return command
    .description(
      "Say what kept scripts may call, and whether these configs and this policy have it",
    )
    .argument("<words...>", "names or files of scripts, after configs and --")
    .addOption(shared.config())
    .addOption(shared.mcp())
    .addOption(shared.policy());
}

export const examples: readonly Example[] = [
  ["script check changes", "check .climax/scripts/changes.js among all configs"],
  ["script check git --policy policy.yaml -- changes", "check it as that policy would have it"],
];

/** Checks each script; 1 when one has a problem. */
export async function run(...[words, options, behind]: CommandArguments<typeof define>) {
  const { configs, others } = inFrontOfDashes(words, behind);
  const scripts = [];
  for (const word of others) scripts.push(await readKept(await scriptPath(word)));
  await using session = await openToolsFor(await sessionOf(options, configs));
  let exitCode: ExitCode = ExitCode.ok;
  for (const script of scripts) {
    const problems = await printReport(script, session.index);
    for (const problem of problems) await printProblem(problem);
    if (problems.length > 0) exitCode = ExitCode.failure;
  }
  return exitCode;
}
