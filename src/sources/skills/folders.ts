/** The folders of skills: `skills` beside a config, and those that a project's file names. */

import { dirname, join, resolve } from "node:path";
import { systemPath } from "../../io.ts";
import { believe } from "../../process/believed_paths.ts";

/** The folder beside each of `files`, and `named`, without those that are not there. */
export async function skillFolders(
  files: readonly string[],
  named: readonly string[] = [],
): Promise<string[]> {
  const beside = files.map((file) => join(dirname(file), "skills"));
  const all = [...new Set([...beside, ...named].map((folder) => resolve(systemPath(folder))))];
  const found = await Promise.all(all.map(isFolder));
  return all.filter((_, at) => found[at]).map((folder) => believe(folder));
}

async function isFolder(path: string): Promise<boolean> {
  return await Deno.stat(systemPath(path)).then(({ isDirectory }) => isDirectory, () => false);
}
