/** Finds the file of a program as the system does, but not by PATH in folders where an agent may write. */

import { extname, isAbsolute, join } from "node:path";
import { statOf } from "../process/folders.ts";
import { searchFolders } from "./search_path.ts";
import { optionalVariable } from "../io.ts";

export interface ProgramSurroundings {
  readonly env: Readonly<Record<string, string>>;
  readonly workingDir?: string;
}

const isWindows = Deno.build.os === "windows";

const usualEndings = ".COM;.EXE;.BAT;.CMD";

export function findProgram(
  program: string,
  { env, workingDir }: ProgramSurroundings,
): string | undefined {
  if (/[/\\]/.test(program)) {
    const path = isAbsolute(program) || workingDir === undefined
      ? program
      : join(workingDir, program);
    return firstExecutable(path);
  }
  const found = searchFolders(env["PATH"]).values().map((folder) => {
    return firstExecutable(join(folder, program));
  });
  return found.find((path) => path !== undefined);
}

/** Returns the executable file at `path`. On Windows only its ending counts, which `path` may leave out. */
function firstExecutable(path: string): string | undefined {
  if (!isWindows) return isExecutable(path) ? path : undefined;
  const endings = (optionalVariable("PATHEXT") || usualEndings).toLowerCase().split(";")
    .filter((ending) => ending !== "");
  const hasEnding = endings.includes(extname(path).toLowerCase());
  return (hasEnding ? [path] : endings.map((ending) => path + ending)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  const { isFile = false, mode = null } = statOf(path) ?? {};
  // On Windows, Deno reports no executable bits, so every file counts as executable
  return isFile && (isWindows || mode === null || (mode & 0o111) !== 0);
}

const found = new Map<string, string>();

export function ownProgram(name: "ps" | "kill" | "sh" | "taskkill"): string {
  return found.getOrInsertComputed(name, () => findProgram(name, { env: {} }) ?? name);
}
