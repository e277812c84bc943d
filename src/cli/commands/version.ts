/** `climax --version`: prints the versions of this program, its runtime and its protocol, and its build. */

import type { Command } from "@commander-js/extra-typings";
import { buildForm } from "../../process/build_info.ts";
import { ExitCode } from "../../errors.ts";
import { version } from "../../process/version.ts";
import type { Example } from "../command.ts";
import { print } from "../output.ts";

export function define(command: Command) {
  return command.description("Print the version, what it runs on, speaks and was built as");
}

export const examples: readonly Example[] = [
  ["--version", "print what a problem report needs"],
];

export async function run(): Promise<ExitCode> {
  const { protocolRevisions } = await import("../../server/mcp_server.ts");
  const revisions = [...new Set(protocolRevisions)];
  await print(
    [
      `climax ${version}`,
      `deno ${Deno.version.deno}, v8 ${Deno.version.v8}`,
      `mcp ${revisions.toSorted().reverse().join(", ")}`,
      `built as ${buildForm()}`,
    ].join("\n"),
  );
  return ExitCode.ok;
}
