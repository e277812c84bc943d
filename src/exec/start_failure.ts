/** Finds the reason why a program could not be started. */

import { systemPath } from "../io.ts";
import { messageOf } from "../errors.ts";
import { findProgram } from "./find_program.ts";
import { isOwnFolderGone } from "../process/folders.ts";
import type { Ending, Invocation, StartFailure } from "./invocation.ts";

/** The reason of `error`, thrown when `invocation` was spawned. */
export async function describeStartFailure(
  error: unknown,
  invocation: Invocation,
): Promise<Extract<Ending, { kind: "not started" }>> {
  const failure = await classify(error, invocation);
  return { kind: "not started", failure, detail: messageOf(error) };
}

async function classify(error: unknown, { argv, cwd, env }: Invocation): Promise<StartFailure> {
  if (error instanceof Deno.errors.NotCapable) return "not permitted";
  if (error instanceof Deno.errors.PermissionDenied) return "not executable";
  if (error instanceof Deno.errors.NotFound) {
    // A missing program and a missing directory have the same error code
    if (cwd !== undefined) return await classifyNotFound(error, cwd);
    return isOwnFolderGone() ? "working directory not found" : "command not found";
  }
  switch ((error as { code?: unknown }).code) {
    case "E2BIG":
      return "command line too long";
    case "EMFILE":
    case "ENFILE":
      return "out of file descriptors";
    case "ENOEXEC":
      return "not executable";
    default:
      // Deno for Windows has no class for a path that is no program
      return Deno.build.os === "windows" && await findProgram(argv[0], { env }) === undefined
        ? "command not found"
        : "other";
  }
}

async function classifyNotFound(error: Error, cwd: string): Promise<StartFailure> {
  try {
    const { isDirectory } = await Deno.stat(systemPath(cwd));
    return isDirectory ? "command not found" : "working directory is no directory";
  } catch (failure) {
    if (failure instanceof Deno.errors.NotFound) return "working directory not found";
    if (!(failure instanceof Deno.errors.NotCapable)) return "working directory is no directory";
  }
  // Without the permission to read, only the text of Deno tells; it quotes the directory last
  const quoted = error.message.endsWith(`'${cwd}'`);
  return quoted ? "working directory not found" : "command not found";
}
