/** Lists the programs that Deno must be permitted to run. */

import { resolve } from "node:path";
import { ownFolderVariables } from "../process/folders.ts";
import { systemPath } from "../io.ts";
import { findProgram, type ProgramSurroundings } from "./find_program.ts";
import { basicVariables } from "./child_environment.ts";
import { socketVariables } from "./private_paths.ts";
import { pathsOfSandbox, type Sandbox } from "./sandbox_view.ts";

interface NeededProgram extends ProgramSurroundings {
  readonly program: string;
}

/** These programs find and end the programs of a call; see `process_tree.ts`. */
const enders = Deno.build.os === "windows" ? ["taskkill"] : ["kill", "ps"];

/** Returns the names of `programs` and of those that end them. */
export function findNeededPrograms(programs: readonly NeededProgram[]): readonly string[] {
  return [...new Set([...programs.map(nameOf), ...enders])];
}

/** Deno resolves a relative path against another directory. */
function nameOf({ program, workingDir }: NeededProgram): string {
  return /[\\/]/.test(program) ? resolve(systemPath(workingDir ?? "."), program) : program;
}

/** The permissions of this process that sandboxes need. */
export interface SandboxNeeds {
  readonly programs: readonly NeededProgram[];
  readonly env: readonly string[];
  /** Paths to read. */
  readonly read: readonly string[];
  /** Paths in which this process may rename what a program created. */
  readonly write: readonly string[];
}

export function sandboxNeeds(sandboxes: readonly Sandbox[]): SandboxNeeds {
  // It closes descriptors that this process has inherited, where it is installed
  const bash = findProgram("bash", { env: {} }) === undefined ? [] : ["bash"];
  return {
    programs: ["bwrap", "sh", ...bash].map((program) => ({ program, env: {} })),
    env: [
      ...new Set([...basicVariables, ...socketVariables, ...ownFolderVariables]),
      ...sandboxes.flatMap(({ env = [] }) => env),
    ],
    read: [...new Set(sandboxes.flatMap(pathsOfSandbox))],
    write: [...new Set(sandboxes.flatMap(({ write }) => write))],
  };
}
