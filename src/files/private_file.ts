/** Files and folders that their owner alone can read and change: what others can write is not believed. */

import { dirname, join } from "node:path";
import { createFile } from "./write_file.ts";

/** Makes `folder` for its owner alone; git ignores what is in it, since a home folder may be a repository. */
export async function makePrivateFolder(folder: string): Promise<void> {
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  await createFile(join(folder, ".gitignore"), "*\n").catch((error) => {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  });
}

/** Why the file at the absolute `path` is not private, if it is not. @throws {Deno.errors.NotFound} */
export function exposureOf(path: string): string | undefined {
  const { isSymlink, isFile, mode } = Deno.lstatSync(path);
  if (isSymlink) return "It is a link";
  if (!isFile) return "It is not a file";
  if (hasBits(mode, 0o077)) return "Other users may read it";
  const folder = Deno.statSync(dirname(path));
  return hasBits(folder.mode, 0o022) ? "Other users may write to its folder" : undefined;
}

function hasBits(mode: number | null, bits: number): boolean {
  return mode !== null && Deno.build.os !== "windows" && (mode & bits) !== 0;
}
