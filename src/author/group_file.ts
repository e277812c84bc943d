/** Writes groups where `climax mcp` finds them, whole or not at all. */

import { dirname } from "node:path";
import { ClimaxError, ExitCode, messageOf } from "../errors.ts";
import type { GroupsFile } from "../sources/agent/groups.ts";

/** Writes `file` to `path`. @throws {ClimaxError} when that fails; what was there is there still */
export async function writeGroups(path: string, file: GroupsFile): Promise<void> {
  const text = `${JSON.stringify(file, null, 2)}\n`;
  const unfinished = `${path}.${crypto.randomUUID().slice(0, 8)}.new`;
  try {
    await Deno.mkdir(dirname(path), { recursive: true });
    await Deno.writeTextFile(unfinished, text);
    await Deno.rename(unfinished, path);
  } catch (error) {
    await Deno.remove(unfinished).catch(() => {});
    const message = `Groups cannot be written: ${messageOf(error)}`;
    throw new ClimaxError("Nothing was written", ExitCode.file, [{ file: path, message }]);
  }
}
