/**
 * Configs of one's own, which have a name as bundled ones do: those of the project in `.climax/` of the
 * current folder, and those of the person. Folders above are not looked at: whoever may write in one of
 * them is not asked.
 */

import { dirname, join } from "node:path";
import { homeFolders } from "../../process/folders.ts";

/** The folder of a project's configs. */
export const projectConfigs = ".climax";

/** The folder of the person's configs, if it is known who that is. */
export function personalConfigs(): string | undefined {
  const folders = homeFolders();
  return folders && join(folders.settings, "climax", "configs");
}

/** Whether the file at `path` is in that folder. */
export function isPersonalConfig(path: string): boolean {
  const folder = personalConfigs();
  return folder !== undefined && dirname(path) === folder;
}

/** Whether a config may be called `name`. */
export function isConfigName(name: string): boolean {
  return /^[A-Za-z0-9][\w.-]{0,63}$/.test(name);
}

const endings = [".yaml", ".yml"];

/** The files of the config `name`, the one that counts first. */
export function ownConfig(name: string): readonly string[] {
  if (!isConfigName(name)) return [];
  const files = folders().flatMap((folder) => endings.map((ending) => join(folder, name + ending)));
  return files.filter(isReadable);
}

/** Names of all configs of one's own, in alphabetical order. */
export async function ownConfigNames(): Promise<readonly string[]> {
  const names = await Promise.all(folders().map(namesIn));
  return [...new Set(names.flat())].toSorted();
}

async function namesIn(folder: string): Promise<string[]> {
  if (!mayRead(folder)) return [];
  try {
    const entries = await Array.fromAsync(Deno.readDir(folder));
    return entries.flatMap(({ name }) => {
      const [, stem] = /^(.+)\.ya?ml$/.exec(name) ?? [];
      return stem !== undefined && isConfigName(stem) ? [stem] : [];
    });
  } catch {
    return [];
  }
}

function folders(): string[] {
  const personal = personalConfigs();
  return [projectConfigs, ...(personal === undefined ? [] : [personal])];
}

function isReadable(path: string): boolean {
  // A server that may not read it has the bundled one, and nobody is asked for more
  if (!mayRead(path)) return false;
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

function mayRead(path: string): boolean {
  return Deno.permissions.querySync({ name: "read", path }).state === "granted";
}
