/** Writes groups to the file that `climax mcp` reads. */

import { writeWhole } from "../files/write_file.ts";
import type { GroupsFile } from "./groups.ts";

/** `path` is below the project `folder`. @throws {ClimaxError} if it cannot be written */
export async function writeGroups(path: string, file: GroupsFile, folder: string): Promise<void> {
  await writeWhole(path, `${JSON.stringify(file, null, 2)}\n`, { root: folder });
}
