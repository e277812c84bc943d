/** The folders of kept scripts, and the files that the person accepted, by path and SHA-256: no other script is a tool. */

import { dirname, join, resolve } from "node:path";
import { io, systemPath } from "../io.ts";
import { withLock, writeWhole } from "./write_file.ts";
import { homeFolders, statOf } from "../process/folders.ts";
import { mayRead } from "../process/permissions.ts";
import { isObject } from "../text/own_property.ts";

export const projectScripts = join(".climax", "scripts");

/** The folders of scripts that are there: beside each of `files`, and that of the project. */
export function findKeptFolders(files: readonly string[]): string[] {
  const beside = files.map((file) => join(dirname(file), "scripts"));
  const all = [...beside, projectScripts].map((folder) => resolve(io().cwd(), systemPath(folder)));
  return [...new Set(all)].filter((path) => mayRead(path) && statOf(path)?.isDirectory);
}

/** The file that lists the accepted scripts; absent if the home folder is unknown. */
export function fileOfAcceptedScripts(): string | undefined {
  const folders = homeFolders();
  return folders && join(folders.settings, "climax", "accepted_scripts.json");
}

/** The folder of scripts beside personal configs, which need no acceptance; absent if the home folder is unknown. */
export function personalScripts(): string | undefined {
  const folders = homeFolders();
  return folders && join(folders.settings, "climax", "configs", "scripts");
}

/** The accepted hashes by path; none if they cannot be read. */
export async function readAcceptedScripts(): Promise<ReadonlyMap<string, string>> {
  const list = fileOfAcceptedScripts();
  if (list === undefined || !mayRead(list)) return new Map();
  return await read(list);
}

/** Records that the person has accepted the file at `path`, or a `part`, with this hash. @throws {ClimaxError} */
export async function acceptScript(path: string, sha256: string, list: string, part = "") {
  const key = await Deno.realPath(systemPath(path)) + part;
  await withLock(list, async () => {
    const all = new Map([...await read(list), [key, sha256]]);
    const scripts = Object.fromEntries([...all].toSorted(([a], [b]) => a < b ? -1 : 1));
    const text = `${JSON.stringify({ version: 1, scripts }, null, 2)}\n`;
    await writeWhole(list, text, { mode: 0o600 });
  });
}

async function read(list: string): Promise<Map<string, string>> {
  try {
    const { scripts } = JSON.parse(await Deno.readTextFile(systemPath(list)));
    if (!isObject(scripts)) return new Map();
    const hashes = Object.entries(scripts).filter(([, hash]) => typeof hash === "string");
    return new Map(hashes as [string, string][]);
  } catch {
    return new Map();
  }
}
