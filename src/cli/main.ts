/** Runs a command line, prints the error if it fails, and returns its exit code. */

import { label, problemText, sayHint } from "./output.ts";
import { clearIdleTimer } from "../async/clock.ts";
import { ClimaxError, ExitCode, FileError, messageOf } from "../errors.ts";
import { type Io, io, optionalVariable, processIo, setIo } from "../io.ts";
import { guardSearchPath } from "../exec/search_path.ts";
import { isWritable } from "../exec/writable_folders.ts";
import { keepTexts } from "../files/text_file.ts";
import { allSaid, log, note, resetLog, say, setLogFile } from "../log.ts";
import { protect } from "../process/protected_paths.ts";
import { buildForm } from "../process/build_info.ts";
import { endCode, setInterrupted } from "../process/end_signals.ts";
import { setWatcher } from "../process/progress.ts";
import { join } from "node:path";
import { denoFolder } from "../process/folders.ts";
import { refuseDepth, setReadElsewhere } from "../process/own_command.ts";
import { divide } from "./commands.ts";

/**
 * Returns the exit code after all output is written. Two runs must not overlap, because {@linkcode io} is the same for
 * both.
 */
export async function main(args: readonly string[], own: Io = processIo): Promise<ExitCode> {
  const before = setIo(own);
  try {
    setInterrupted(false);
    const code = await runCommand(args);
    // Ctrl-C is the usual end of a server, so it is no failure
    return code === ExitCode.ok ? code : endCode() ?? code;
  } finally {
    await allSaid();
    // Tests make several runs in one process, so each run must leave no state to the next
    if (own !== processIo) {
      resetLog();
      clearIdleTimer();
    }
    setWatcher(undefined);
    setIo(before);
  }
}

async function runCommand(args: readonly string[]): Promise<ExitCode> {
  try {
    refuseDepth();
    openLogFile(args[0]);
    guardSearchPath();
    const serves = /^(?:run|mcp|ui)$/.test(divide(args).command.name);
    setReadElsewhere(serves);
    keepTexts(serves ? isWritable : undefined);
    await noteDownload("commander");
    const { runProgram } = await import("./run_program.ts");
    return await runProgram(args);
  } catch (error) {
    return report(error);
  }
}

function report(error: unknown): ExitCode {
  if (error instanceof Deno.errors.BrokenPipe) return ExitCode.ok;
  if (error instanceof ClimaxError) {
    const problems = error.problems.map((problem) => problemText(problem, "stderr"));
    const last = problems.length === 1 ? problems.pop() : error.message;
    say([...problems, `${label("error", "stderr")} ${last}`].join("\n"));
    return error.exitCode;
  }
  if (isNotPermitted(error)) {
    // The first line of Deno's message names the permission and the flag that gives it
    const [line = ""] = messageOf(error).split("\n", 1);
    say(`${label("error", "stderr")} not permitted: ${line}`);
    return ExitCode.failure;
  }
  const [first = "", cause = ""] = messageOf(error).split("\n");
  // Deno's error for a missing npm package has no code, so its text is recognized
  if (first.startsWith("Failed caching npm package")) {
    say(`${label("error", "stderr")} ${first}: ${cause.replace(/^\s*0: /, "")}`);
    sayHint(
      "The first use downloads packages. Behind a proxy that replaces certificates, set " +
        "DENO_TLS_CA_STORE=system or NODE_EXTRA_CA_CERTS",
    );
    return ExitCode.failure;
  }
  say(`${label("error", "stderr")} internal error: ${messageOf(error)}`);
  log("debug", error instanceof Error ? error.stack ?? "" : "");
  sayHint("-vv shows where; please report it");
  return ExitCode.internalError;
}

/** Returns true for a missing permission. Deno reports a module that it may not read as a module not found. */
function isNotPermitted(error: unknown): boolean {
  if (error instanceof Deno.errors.NotCapable) return true;
  const { code } = error as { code?: unknown };
  if (code !== "ERR_MODULE_NOT_FOUND") return false;
  return io().permissions.querySync({ name: "read" }).state !== "granted";
}

function openLogFile(command: string | undefined): void {
  const path = optionalVariable("CLIMAX_LOG_FILE");
  if (path === undefined || path === "") return;
  try {
    setLogFile(protect(path, "hidden"));
  } catch (error) {
    // `climax doctor` goes on without the log file, and reports the problem with its other findings
    if (command === "doctor") return;
    const message = `CLIMAX_LOG_FILE: '${path}' cannot be opened: ${messageOf(error)}`;
    throw new FileError("The log file was not opened", { message });
  }
}

/** Prints a notice before the package `name` is downloaded, because Deno is started with `--quiet` and prints none. */
async function noteDownload(name: string): Promise<void> {
  if (buildForm() !== "source" || !await isMissing(name)) return;
  note("Downloading dependencies (first run only)");
  await allSaid();
}

/** Returns true if Deno's cache lacks a package; false if that cannot be found out. */
async function isMissing(name: string): Promise<boolean> {
  try {
    const { existsSync } = await import("node:fs");
    const packages = join(denoFolder()!, "npm");
    // Deno stores packages in one folder for each registry, so every folder is searched
    const registries = [...Deno.readDirSync(packages)];
    return !registries.some((registry) => existsSync(join(packages, registry.name, name)));
  } catch {
    return false;
  }
}
