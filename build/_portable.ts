/** Builds the portable form: the program as one executable file. */

import { dirname } from "node:path";
import { v8Flags } from "../src/process/own_command.ts";
import { bundleProgram } from "./_bundle.ts";
import { portableScript } from "./_script.ts";

/** Builds it at `file`, with permissions as flags of Deno in its first line. */
export async function buildPortable(file: string, permissions: readonly string[]): Promise<void> {
  const script = portableScript(await bundleProgram(), [v8Flags, ...permissions]);
  await Deno.mkdir(dirname(file), { recursive: true });
  await Deno.writeTextFile(file, script, { mode: 0o755 });
}
