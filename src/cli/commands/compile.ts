/** `climax compile`: a server for exactly these configs under exactly this policy. */

import { ClimaxError, ExitCode, messageOf } from "../../errors.ts";
import { compileBinary } from "../../pack/compile_binary.ts";
import { programCode } from "../../pack/program_code.ts";
import { portableScript } from "../../pack/script.ts";
import { readSealed } from "../../pack/seal.ts";
import { openSession } from "../../session.ts";
import { print } from "../output.ts";
import { flagsOf, permissionsOf } from "./permissions.ts";

/** Settings of `climax compile`. */
export interface CompileCommandOptions {
  readonly configs: readonly string[];
  readonly policy?: string;
  readonly strict?: boolean;
  readonly classic?: boolean;
  readonly output: string;
  /** Whether to make a script that needs Deno, instead of a binary. */
  readonly portable?: boolean;
  readonly target?: string;
}

/** Builds the server and says what it may do. */
export async function compileCommand(options: CompileCommandOptions): Promise<ExitCode> {
  const { classic = false, output, strict } = options;
  const contents = await readSealed({ ...options, classic });
  const session = { ...contents, strict };
  await openSession(session);
  const permissions = flagsOf(await permissionsOf(session));
  const sealed = { ...contents, permissions };
  const script = portableScript(await programCode(), { built: "portable", sealed }, permissions);
  if (options.portable) await writeScript(output, script);
  else await writeBinary(script, { ...options, permissions });
  await print(`${output}: ${permissions.join(" ")}`);
  return ExitCode.ok;
}

async function writeScript(output: string, script: string): Promise<void> {
  try {
    await Deno.writeTextFile(output, script, { mode: 0o755 });
    if (Deno.build.os !== "windows") await Deno.chmod(output, 0o755);
  } catch (error) {
    const message = `File cannot be written: ${messageOf(error)}`;
    throw new ClimaxError("Nothing was built", ExitCode.file, [{ file: output, message }]);
  }
}

async function writeBinary(
  script: string,
  { output, target, permissions }: CompileCommandOptions & { permissions: readonly string[] },
): Promise<void> {
  const directory = await Deno.makeTempDir({ prefix: "climax-" });
  try {
    const source = `${directory}/server.mjs`;
    await writeScript(source, script);
    const flags = { output, flags: permissions };
    await compileBinary(source, target === undefined ? flags : { ...flags, target });
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}
