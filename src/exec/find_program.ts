/** Where a program is, as the system would look for it. */

import { delimiter, isAbsolute, join, resolve } from "node:path";
import { optionalVariable } from "../process/environment.ts";
import { ownFolder } from "../process/folders.ts";

/** The parts of a command's surroundings that decide which program a name means. */
export interface ProgramSurroundings {
  readonly env: Readonly<Record<string, string>>;
  readonly workingDir?: string;
}

/** The path of `program`, absolute where a name was looked up, or nothing when there is no such file that may be executed. */
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
      // A relative folder is seen from the server's directory, never from a call's
      const path = resolve(ownFolder(), folder, program + ending);
      if (await isExecutable(path)) return path;
    }
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    const { isFile, mode } = await Deno.stat(path);
    // Windows has no such bits
    return isFile && (mode === null || (mode & 0o111) !== 0);
  } catch {
    return false;
  }
}
