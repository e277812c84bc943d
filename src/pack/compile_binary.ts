/** Compiles a portable script into one executable file with `deno compile`. */

import { systemPath } from "../io.ts";
import { ClimaxError, ExitCode } from "../errors.ts";
import { run } from "../exec/run.ts";
import { version } from "../process/version.ts";
import { runDeno } from "./deno.ts";

/** Milliseconds that the new executable may take to print its version. */
const startMs = 60_000;

/** Settings of {@linkcode compileBinary}. */
interface CompileOptions {
  readonly output: string;
  /** The permissions of the binary, as Deno flags. */
  readonly flags: readonly string[];
  /** A target triple of `deno compile`. @default this machine's */
  readonly target?: string;
}

/**
 * Compiles `script` without a configuration file. An executable for this system is started once: with a
 * base runtime of another version than Deno's, `deno compile` succeeds and nothing starts.
 *
 * V8's code cache is off: a binary stores it in the folder for temporary files under a predictable name
 * and runs the file it finds there, from any author (Deno 2.9.6).
 *
 * @throws {ClimaxError} when Deno fails, for example because it cannot download its base runtime, or when
 * the executable does not start
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
    "--no-code-cache",
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
  if (target === undefined || target === Deno.build.target) await requireStart(output);
}

async function requireStart(output: string): Promise<void> {
  const path = await Deno.realPath(systemPath(output));
  const { ending, stdout, stderr } = await run({
    argv: [path, "--version"],
    env: { NO_COLOR: "1", RUST_BACKTRACE: "0" },
    timeoutMs: startMs,
  });
  const [said = ""] = stdout.text.split("\n");
  const isOurs = new RegExp(`^(?:climax )?${RegExp.escape(version)}$`).test(said);
  if (ending.kind === "exited" && ending.code === 0 && isOurs) return;
  await Deno.remove(path).catch(() => {});
  const why = (stderr.text || stdout.text || ending.kind).trim().replace(/\s+/g, " ");
  const message = `What was built does not start as climax ${version}: ${why}`;
  const hint = `Where DENORT_BIN is set, it must be the denort of Deno ${Deno.version.deno}`;
  throw new ClimaxError("Nothing was built", ExitCode.file, [{ file: output, message, hint }]);
}
