/** Which of the known reasons kept a program from starting. */

import { messageOf } from "../errors.ts";
import { isOwnFolderGone } from "../process/folders.ts";
import type { Ending, Invocation, StartFailure } from "./invocation.ts";

/** The reason behind `error`, which spawning `invocation` threw. */
export async function describeStartFailure(
  error: unknown,
  invocation: Invocation,
): Promise<Extract<Ending, { kind: "not started" }>> {
  const failure = await classify(error, invocation.cwd);
  return { kind: "not started", failure, detail: messageOf(error) };
}

async function classify(error: unknown, cwd: string | undefined): Promise<StartFailure> {
  if (error instanceof Deno.errors.NotCapable) return "not permitted";
  if (error instanceof Deno.errors.PermissionDenied) return "not executable";
  if (error instanceof Deno.errors.NotFound) {
    // A missing program and a missing directory are the same error number, so look at the directory
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
      return "other";
  }
}

async function classifyNotFound(error: Error, cwd: string): Promise<StartFailure> {
  try {
    const { isDirectory } = await Deno.stat(cwd);
    return isDirectory ? "command not found" : "working directory is no directory";
  } catch (failure) {
    if (failure instanceof Deno.errors.NotFound) return "working directory not found";
    if (!(failure instanceof Deno.errors.NotCapable)) return "working directory is no directory";
  }
  // Not allowed to look: Deno's own text is the only witness, and quotes the directory last
  const quoted = error.message.endsWith(`'${cwd}'`);
  return quoted ? "working directory not found" : "command not found";
}
