/** One executable file from a portable script: `deno compile`. */

import { runDeno } from "./deno.ts";

/** Settings of {@linkcode compileBinary}. */
export interface CompileOptions {
  readonly output: string;
  /** The permissions of the binary, as Deno's flags. */
  readonly flags: readonly string[];
  /** A target triple of `deno compile`. @default this machine's */
  readonly target?: string;
}

/**
 * Compiles `script`. Its code cache is on, and no configuration file has a say in it.
 *
 * @throws {ClimaxError} when Deno fails, for example because it cannot fetch its base runtime
 */
export async function compileBinary(
  script: string,
  { output, flags, target }: CompileOptions,
): Promise<void> {
  const args = [
    "compile",
    "--quiet",
    "--no-check",
    "--no-config",
    "--no-prompt",
    "--no-npm",
    "--deny-import",
    ...flags,
    ...(target === undefined ? [] : ["--target", target]),
    "--output",
    output,
    script,
  ];
  await runDeno(args, {
    hint:
      "Where Deno's site cannot be reached for the base runtime (denort), set DENORT_BIN to a " +
      "denort executable, or build the portable form instead",
  });
}
