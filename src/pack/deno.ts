/** Deno's own tools, run as programs: the bundler and the compiler. */

import { delimiter } from "node:path";
import { buildForm } from "../process/build_info.ts";
import { optionalVariable } from "../process/environment.ts";
import { ClimaxError, ExitCode, type Problem } from "../errors.ts";
import { findProgram } from "../exec/find_program.ts";
import { run } from "../exec/run.ts";

/** Milliseconds that the bundler or the compiler may take, downloads included. */
const timeoutMs = 600_000;

/** Settings of {@linkcode runDeno}. */
export interface DenoOptions {
  readonly cwd?: string;
  /** What may be done about a failure. */
  readonly hint: string;
}

/**
 * Runs `deno` with `args`.
 *
 * @throws {ClimaxError} with what Deno wrote when it is not found or fails
 */
export async function runDeno(args: readonly string[], { cwd, hint }: DenoOptions): Promise<void> {
  const outcome = await run({
    argv: [await denoProgram(), ...args],
    env: { NO_COLOR: "1", RUST_BACKTRACE: "0" },
    timeoutMs,
    ...(cwd === undefined ? {} : { cwd }),
  });
  const { ending } = outcome;
  if (ending.kind === "exited" && ending.code === 0) return;
  const said = ending.kind === "not started" ? ending.detail : outcome.stderr.text.trim();
  throw failure({ message: `deno ${args[0]} failed: ${said.replace(/\s+/g, " ")}`, hint });
}

/** The path of a Deno that can bundle and compile. */
async function denoProgram(): Promise<string> {
  if (buildForm() !== "binary") return Deno.execPath();
  const path = await findProgram("deno", { env: {} });
  if (path !== undefined) return path;
  throw failure({
    message: "A compiled climax needs Deno to build a server, and there is no 'deno' on PATH",
    hint: "Install it, for example with: npm install -g deno",
  });
}

/**
 * The Deno that runs this program, when no `deno` is on PATH by which a script could be started. What
 * npm puts on PATH for as long as it runs a program is not there when the script is started.
 */
export async function denoOffPath(): Promise<string | undefined> {
  if (buildForm() === "binary") return undefined;
  const folders = (optionalVariable("PATH") ?? "").split(delimiter);
  const lasting = folders.filter((folder) => !/[\\/]node_modules[\\/]\.bin[\\/]?$/.test(folder));
  const env = { PATH: lasting.join(delimiter) };
  return await findProgram("deno", { env }) === undefined ? Deno.execPath() : undefined;
}

function failure(problem: Problem): ClimaxError {
  return new ClimaxError("Nothing was built", ExitCode.file, [problem]);
}
