/** `climax --version`: this program, what it runs on, what it speaks and how it was built. */

import { SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/server";
import { buildForm } from "../build_info.ts";
import { ExitCode } from "../errors.ts";
import { version } from "../version.ts";
import { print } from "./_output.ts";

/** Revisions since per-request envelopes, which the SDK keeps apart from those it lists. */
const modernRevisions = ["2026-07-28"];

/** Prints a line for each. */
export async function versionCommand(): Promise<ExitCode> {
  const revisions = [...new Set([...modernRevisions, ...SUPPORTED_PROTOCOL_VERSIONS])];
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
