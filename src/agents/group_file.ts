/** Writes groups where `climax mcp` finds them. */

import { writeWhole } from "../files/write_file.ts";
import type { GroupsFile } from "./groups.ts";

/** Writes `file` to `path`, below the project in `folder`. @throws {ClimaxError} when that fails */
export async function writeGroups(path: string, file: GroupsFile, folder: string): Promise<void> {
  await writeWhole(path, `${JSON.stringify(file, null, 2)}\n`, { root: folder });
}
