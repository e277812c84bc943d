/**
 * The configs of projects that the person has accepted, by path. A folder of another author may have a config
 * called `git`, and a client starts climax there without a question.
 */

import { join } from "node:path";
import { systemPath } from "../../io.ts";
import { writeWhole } from "../../files/write_file.ts";
import { homeFolders } from "../../process/folders.ts";
import { mayRead } from "../../process/permissions.ts";

/** The file that lists them; absent if the home folder is unknown. */
export function acceptedConfigsFile(): string | undefined {
  const folders = homeFolders();
  return folders && join(folders.settings, "climax", "accepted_configs.json");
}

/** Returns whether the person has accepted the config at `file`; `false` if that cannot be read. */
export async function isAccepted(file: string): Promise<boolean> {
  const list = acceptedConfigsFile();
  if (list === undefined || !mayRead(list) || !mayRead(file)) return false;
  try {
    return (await read(list)).includes(await Deno.realPath(systemPath(file)));
  } catch {
    return false;
  }
}

/** Records that the person has accepted the config at `file`. @throws {ClimaxError} if it cannot be written */
export async function acceptConfig(file: string, list: string): Promise<void> {
  const before = await read(list).catch(() => []);
  const files = [...new Set([...before, await Deno.realPath(systemPath(file))])].toSorted();
  await writeWhole(list, `${JSON.stringify({ version: 1, files }, null, 2)}\n`);
}

async function read(list: string): Promise<readonly unknown[]> {
  const { files } = JSON.parse(await Deno.readTextFile(systemPath(list))) as {
    readonly files?: unknown;
  };
  return Array.isArray(files) ? files : [];
}
