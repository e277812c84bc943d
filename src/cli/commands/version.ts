/** `climax --version`: prints the versions of this program, its runtime and its protocol, and its build. */

import { buildForm, version } from "../../process/build_info.ts";
import { ExitCode } from "../../errors.ts";
import type { Command, CommandArguments, Example } from "../command.ts";
import { shared } from "../options.ts";
import { print, printJson } from "../output.ts";

export function define(command: Command) {
  return command
    .description("Print the version, what it runs on, speaks and was built as")
    .addOption(shared.json());
}

export const examples: readonly Example[] = [
  ["--version", "print what a problem report needs"],
  ["version --json", "print the same for a script"],
];

export async function run(...[{ json }]: CommandArguments<typeof define>) {
  const { protocolRevisions } = await import("../../server/mcp_server.ts");
  const mcp = [...new Set(protocolRevisions)].toSorted().reverse();
  const { deno, v8 } = Deno.version;
  const built = buildForm();
  if (json) {
    await printJson({ version, deno, v8, mcp, built });
    return ExitCode.ok;
  }
  await print(
    [
      `climax ${version}`,
      `deno ${deno}, v8 ${v8}`,
      `mcp ${mcp.join(", ")}`,
      `built as ${built}`,
    ].join("\n"),
  );
  return ExitCode.ok;
}
