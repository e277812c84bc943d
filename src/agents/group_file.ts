/** The file of the groups of a project: its place, and how it is written. `groups.ts` reads it. */

import { dirname, join } from "node:path";
import { writeWhole } from "../files/write_file.ts";
import type { GroupsFile } from "./groups.ts";

/** The path of the groups of the project with the config `config`; by default, of the current folder. */
export function groupsBeside(config = "."): string {
  return join(config === "." ? config : dirname(config), ".tamamo-x", "groups.json");
}

/** `path` is below the project `folder`. @throws {ClimaxError} if it cannot be written */
export async function writeGroups(path: string, file: GroupsFile, folder: string): Promise<void> {
  await writeWhole(path, `${JSON.stringify(file, null, 2)}\n`, { root: folder });
}
