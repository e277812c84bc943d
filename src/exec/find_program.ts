/** Finds a program as the system would. */

import { delimiter, isAbsolute, join, resolve } from "node:path";
import { systemPath } from "../io.ts";
import { optionalVariable } from "../process/environment.ts";
import { ownFolder } from "../process/folders.ts";

/** The environment and directory that decide which program a name means. */
export interface ProgramSurroundings {
  readonly env: Readonly<Record<string, string>>;
  readonly workingDir?: string;
}

/** The path of `program`, absolute for a name, or nothing if there is no such executable file. */
export async function findProgram(
  program: string,
  { env, workingDir }: ProgramSurroundings,
): Promise<string | undefined> {
  if (/[/\\]/.test(program)) {
    const path = isAbsolute(program) || workingDir === undefined
      ? program
      : join(workingDir, program);
    return await isExecutable(path) ? path : undefined;
  }
  const folders = (env["PATH"] ?? optionalVariable("PATH") ?? "").split(delimiter);
  const endings = Deno.build.os === "windows"
    ? ["", ...(optionalVariable("PATHEXT") ?? ".EXE;.CMD;.BAT").split(";")]
    : [""];
  for (const folder of folders.filter((each) => each !== "")) {
    for (const ending of endings) {
      // Relative folders start at the directory of the server, not of a call
      const path = resolve(ownFolder(), folder, program + ending);
      if (await isExecutable(path)) return path;
    }
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    const { isFile, mode } = await Deno.stat(systemPath(path));
    // Windows has no executable bits
    return isFile && (mode === null || (mode & 0o111) !== 0);
  } catch {
    return false;
  }
}
