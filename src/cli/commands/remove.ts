/** `climax remove`: takes an MCP server out of the project's file. */

import { UsageError } from "../../errors.ts";
import { nearHint } from "../../text/similar_names.ts";
import { requireAnswer } from "../ask.ts";
import type { Command, CommandArguments, Example } from "../command.ts";
import { shared } from "../options.ts";

export function define(command: Command) {
  return command
    .description("Take an MCP server out of the project's file")
    .argument("<server>", "its name")
    .addOption(shared.file())
    .option("-y, --yes", "write without asking");
}

export const examples: readonly Example[] = [
  ["remove files", "take out the server that climax add files put there"],
];

export async function run(...[name, options]: CommandArguments<typeof define>) {
  const { changeProject } = await import("../change_file.ts");
  const { serversOf, withoutServer } = await import("../../setup/project_servers.ts");
  return await changeProject(options.file, options.yes ?? false, (at) => {
    const names = serversOf(at).map((server) => server?.name ?? "");
    const index = names.indexOf(name);
    if (index === -1) {
      const hint = nearHint(name, names) ??
        (names.length === 0 ? undefined : `It has: ${names.join(", ")}`);
      throw new UsageError(`${at.file} has no server '${name}'`, hint);
    }
    requireAnswer(options.yes ?? false);
    return withoutServer(at, index);
  });
}
