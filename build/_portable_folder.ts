/** The folder of the portable form: `climax.mjs`, and `parts/` with what it loads. */

import { dirname, join } from "node:path";
import type { ArchiveFiles } from "./_zip.ts";

/** The folder that is built beside the portable form in one file. */
export function folderBeside(file: string): string {
  return join(dirname(file), "portable");
}

/** The paths of all files in `folder`, relative to it, in alphabetical order. */
export function filesIn(folder: string): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) => {
    return isDirectory ? filesIn(join(folder, name)).map((file) => `${name}/${file}`) : [name];
  }).toSorted();
}

/** Copies the files in `folder`, with their modes, into the folder `to`. */
export async function copyFolder(folder: string, to: string): Promise<void> {
  for (const file of filesIn(folder)) {
    await Deno.mkdir(dirname(join(to, file)), { recursive: true });
    await Deno.copyFile(join(folder, file), join(to, file));
  }
}

/** The files of the folder beside `script`, in `folder` of an archive. */
export function portableFiles(script: string, folder: string): ArchiveFiles {
  const from = folderBeside(script);
  return Object.fromEntries(
    filesIn(from).map((file) => {
      const mode = file === "climax.mjs" ? 0o755 : 0o644;
      return [`${folder}/${file}`, { from: join(from, file), mode }];
    }),
  );
}
