/** Finds a program as the system would. */

import { extname, isAbsolute, join } from "node:path";
import { systemPath } from "../io.ts";
import { optionalVariable } from "../process/environment.ts";
import { rootFolder } from "../process/folders.ts";
import { Folders } from "./_found_paths.ts";
import { searchFolders } from "./search_path.ts";

/** The environment and directory that decide which program a name means. */
export interface ProgramSurroundings {
  readonly env: Readonly<Record<string, string>>;
  readonly workingDir?: string;
}

const isWindows = Deno.build.os === "windows";

/** The endings of programs where `PATHEXT` is not set. */
const usualEndings = ".COM;.EXE;.BAT;.CMD";

/** Lists of the folders of PATH, for a search of many names at one time. */
export class PathFolders extends Folders {}

/** The path of `program` (absolute for a name) if it is executable. No name is searched where an agent may write. */
export async function findProgram(
  program: string,
  { env, workingDir }: ProgramSurroundings,
  folders?: PathFolders,
): Promise<string | undefined> {
  if (/[/\\]/.test(program)) {
    const path = isAbsolute(program) || workingDir === undefined
      ? program
      : join(workingDir, program);
    return await firstExecutable(path);
  }
  for (const folder of searchFolders(env["PATH"])) {
    const here = join(folder, program);
    // On Windows it has an ending there
    if (!isWindows && folders?.has(here) === false) continue;
    const path = await firstExecutable(here);
    if (path !== undefined) return path;
  }
  return undefined;
}

/** The file of a path without or with its ending: on Windows a file is a program by its ending alone. */
async function firstExecutable(path: string): Promise<string | undefined> {
  if (!isWindows) return await isExecutable(path) ? path : undefined;
  const endings = (optionalVariable("PATHEXT") || usualEndings).toLowerCase().split(";")
    .filter((ending) => ending !== "");
  const paths = endings.includes(extname(path).toLowerCase())
    ? [path]
    : endings.map((ending) => path + ending);
  for (const each of paths) {
    if (await isExecutable(each)) return each;
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    const { isFile, mode } = await Deno.stat(systemPath(path));
    // On Windows Deno has a mode, without executable bits
    return isFile && (isWindows || mode === null || (mode & 0o111) !== 0);
  } catch {
    return false;
  }
}

/** Programs that climax itself needs. */
type OwnProgram = "ps" | "kill" | "sh" | "taskkill";

/** Each is looked up once. */
const found = new Map<string, Promise<string>>();

/** The path of `name`, or the name without permission to search for it. */
export function ownProgram(name: OwnProgram): Promise<string> {
  const known = found.get(name);
  if (known !== undefined) return known;
  const path = findProgram(name, { env: {} }).then((path) => path ?? name);
  found.set(name, path);
  return path;
}

/** Runs it without input and output. Returns whether it had success. @throws what Deno throws */
export async function runOwnProgram(
  name: OwnProgram,
  args: readonly string[],
  signal?: AbortSignal,
): Promise<boolean> {
  const none = { stdin: "null", stdout: "null", stderr: "null" } as const;
  const options = { args: [...args], cwd: rootFolder, ...none, ...(signal && { signal }) };
  return (await new Deno.Command(await ownProgram(name), options).spawn().status).success;
}
