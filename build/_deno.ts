/** Runs Deno's own tools as programs: the bundler and the compiler. */

import { FileError } from "../src/errors.ts";
import { run } from "../src/exec/run.ts";
import { version } from "../src/process/build_info.ts";
import { notBuilt } from "./_problems.ts";

/** Milliseconds that the bundler or the compiler may take, downloads included. */
const timeoutMs = 600_000;

interface DenoOptions {
  readonly cwd?: string;
  readonly hint: string;
}

/** Runs `deno`. @throws {ClimaxError} with Deno's output when it is not found or fails */
export async function runDeno(args: readonly string[], { cwd, hint }: DenoOptions): Promise<void> {
  const outcome = await run({
    argv: [Deno.execPath(), ...args],
    env: { NO_COLOR: "1", RUST_BACKTRACE: "0" },
    inherit: Object.keys(Deno.env.toObject()).filter((name) => !/^OTEL_/i.test(name)),
    timeoutMs,
    ...(cwd === undefined ? {} : { cwd }),
  });
  const { ending } = outcome;
  if (ending.kind === "exited" && ending.code === 0) return;
  const said = ending.kind === "not started" ? ending.detail : outcome.stderr.text.trim();
  throw notBuilt(`deno ${args[0]} failed: ${said.replace(/\s+/g, " ")}`, hint);
}

/** Milliseconds that the new executable may take to print its version. */
const startMs = 60_000;

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
  const path = await Deno.realPath(output);
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
  throw new FileError("Nothing was built", { file: output, message, hint });
}
