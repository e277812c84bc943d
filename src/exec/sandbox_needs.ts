/** What sandboxes take of the permissions of this process. */

import { ownFolderVariables } from "../process/folders.ts";
import { basicVariables } from "./child_environment.ts";
import { findProgram } from "./find_program.ts";
import type { NeededProgram } from "./needed_programs.ts";
import { socketVariables } from "./private_paths.ts";
import { lookedAt, type Sandbox } from "./sandbox_view.ts";

export interface SandboxNeeds {
  readonly programs: readonly NeededProgram[];
  /** Names of environment variables. */
  readonly env: readonly string[];
  /** Paths to read. */
  readonly read: readonly string[];
  /** Paths in which what a program created may be renamed. */
  readonly write: readonly string[];
}

export async function sandboxNeeds(sandboxes: readonly Sandbox[]): Promise<SandboxNeeds> {
  // It closes descriptors that this process has inherited, where it is installed
  const bash = await findProgram("bash", { env: {} }) === undefined ? [] : ["bash"];
  return {
    programs: ["bwrap", "sh", ...bash].map((program) => ({ program, env: {} })),
    env: [
      ...new Set([...basicVariables, ...socketVariables, ...ownFolderVariables]),
      ...sandboxes.flatMap(({ env = [] }) => env),
    ],
    read: [...new Set(sandboxes.flatMap(lookedAt))],
    write: [...new Set(sandboxes.flatMap(({ write }) => write))],
  };
}
