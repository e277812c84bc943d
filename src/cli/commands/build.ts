/** `climax build`: sorts a project's tools into groups, each of which becomes a sub-agent. */

import type { Command, CommandArguments, Example } from "../command.ts";
import { projectFileWords, shared, timeoutOption } from "../options.ts";

export function define(command: Command) {
  return command
    .description("Sort the tools of a project into groups, for climax mcp to serve as sub-agents")
    .argument("[config]", `the project's config (default: ${projectFileWords})`)
    .option("--offline", "group by likeness of names and words, and ask no language model")
    .option("--keep", "keep the groups: remove missing tools, and place new ones")
    .option("--dry-run", "show the groups, and write nothing")
    .addOption(timeoutOption("seconds that the language model may take in all", 600))
    .addOption(shared.policy())
    .addOption(shared.sandbox())
    .addOption(shared.strict())
    .addOption(shared.json())
    .addOption(shared.logLevel());
}

export const examples: readonly Example[] = [
  ["build", "ask the config's language model for groups, and write them"],
  ["build --offline --dry-run", "show the groups that likeness alone makes"],
  ["build --keep", "keep edited groups, add new tools and remove missing ones"],
];

export async function run(...[config, options]: CommandArguments<typeof define>) {
  const { buildProject } = await import("../build_project.ts");
  return await buildProject(config, options);
}
