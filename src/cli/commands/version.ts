/** `climax --version`: this program, what it runs on, what it speaks and how it was built. */

import { buildForm } from "../../process/build_info.ts";
import { ExitCode } from "../../errors.ts";
import { protocolRevisions } from "../../server/mcp_server.ts";
import { version } from "../../process/version.ts";
import { print } from "../output.ts";

/** Prints a line for each. */
export async function versionCommand(): Promise<ExitCode> {
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
