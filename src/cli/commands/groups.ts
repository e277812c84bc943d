/** `climax groups`: prints the groups of a project, as written by `climax build` or edited since. */

import type { Command } from "@commander-js/extra-typings";
import { ClimaxError, ExitCode } from "../../errors.ts";
import type { CommandArguments, Example } from "../command.ts";
import { groupsTable } from "../groups_table.ts";
import { jsonOption, projectFileWords } from "../options.ts";
import { printJson, printTable } from "../output.ts";

export function define(command: Command) {
  return command
    .description("Show the groups of a project's tools, which climax build makes")
    .argument("[config]", `the project's config (default: ${projectFileWords})`)
    .addOption(jsonOption());
}

export const examples: readonly Example[] = [
  ["groups", "show the groups as a table"],
  ["groups --json", "print them with their prompts and tools"],
];

/** Prints the groups. */
export async function run(
  ...[config, { json }]: CommandArguments<typeof define>
): Promise<ExitCode> {
  const { openProject } = await import("../project.ts");
  const { readGroups } = await import("../../agents/groups.ts");
  const { groups } = await openProject(config);
  const read = await readGroups(groups);
  if (!read.ok) throw new ClimaxError("The groups were not read", ExitCode.file, read.problems);
  if (json) await printJson(read.file);
  else await printTable(...groupsTable(read.file));
  return ExitCode.ok;
}
