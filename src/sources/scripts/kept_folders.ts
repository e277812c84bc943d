/** The folders in which scripts are kept. */

import { dirname, join, resolve } from "node:path";
import { io, systemPath } from "../../io.ts";
import { homeFolders, statOf } from "../../process/folders.ts";
import { mayRead } from "../../process/permissions.ts";

export const projectScripts = join(".climax", "scripts");

/** The folders of scripts that are there: beside each of `files`, and that of the project. */
export function findKeptFolders(files: readonly string[]): string[] {
  const beside = files.map((file) => join(dirname(file), "scripts"));
  const all = [...beside, projectScripts].map((folder) => resolve(io().cwd(), systemPath(folder)));
  return [...new Set(all)].filter((path) => mayRead(path) && statOf(path)?.isDirectory);
}

/** The folder of scripts beside personal configs, which need no acceptance; absent if the home folder is unknown. */
export function personalScripts(): string | undefined {
  const folders = homeFolders();
  return folders && join(folders.settings, "climax", "configs", "scripts");
}
