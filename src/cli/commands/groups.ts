/** `climax groups`: prints the groups of a project, as written by `climax build` or edited since. */

import { ExitCode, FileError, formatProblem } from "../../errors.ts";
import { log } from "../../log.ts";
import type { Command, CommandArguments, Example } from "../command.ts";
import { projectFileWords, shared } from "../options.ts";
import { printJson, printTable } from "../output.ts";

export function define(command: Command) {
  return command
    .description("Show the groups of a project's tools, which climax build makes")
    .argument("[config]", `the project's config (default: ${projectFileWords})`)
    .addOption(shared.json());
}

export const examples: readonly Example[] = [
  ["groups", "show the groups as a table"],
  ["groups --json", "print them with their prompts and tools"],
];

export async function run(...[config, { json }]: CommandArguments<typeof define>) {
  const { groupsTable, openProject } = await import("../project.ts");
  const { readGroups } = await import("../../agents/groups.ts");
  const { limitProblems } = await import("../../agents/group_draft.ts");
  const { groups, config: { groupingConstraints } } = await openProject(config);
  const read = await readGroups(groups);
  if (!read.ok) throw new FileError("The groups were not read", ...read.problems);
  for (const message of limitProblems(read.value.groups, groupingConstraints)) {
    log("warning", formatProblem({ file: groups, message }));
  }
  if (json) await printJson(read.value);
  else await printTable(...groupsTable(read.value));
  return ExitCode.ok;
}
