/** Finds the folders of kept scripts: `scripts` beside a config, and `.climax/scripts` of the current folder. */

import { dirname, join, resolve } from "node:path";
import { io, systemPath } from "../../io.ts";
import { mayRead } from "../../process/permissions.ts";

/** The scripts of a project. */
export const projectScripts = join(".climax", "scripts");

/** The folders of scripts that are there: beside each of `files`, and that of the project. */
export function keptFolders(files: readonly string[]): string[] {
  const beside = files.map((file) => join(dirname(file), "scripts"));
  const all = [...beside, projectScripts].map((folder) => resolve(io().cwd(), systemPath(folder)));
  return [...new Set(all)].filter(isFolder);
}

function isFolder(path: string): boolean {
  try {
    return mayRead(path) && Deno.statSync(systemPath(path)).isDirectory;
  } catch {
    return false;
  }
}
