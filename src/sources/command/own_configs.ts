/**
 * Configs of one's own, which have a name as bundled ones do: those of the project in `.climax/` of the
 * current folder, and those of the person. Folders above are not looked at: whoever may write in one of
 * them is not asked. A project's config stands for another of its name only where the person accepted it.
 */

import { dirname, join } from "node:path";
import { optionalVariable } from "../../process/environment.ts";
import { homeFolders } from "../../process/folders.ts";
import { isAccepted } from "./accepted_configs.ts";
import { bundledConfigs } from "./bundled.ts";

/** The configs that `CLIMAX_CONFIG` names for command lines that name none, commas between them. */
export function usualConfigs(): readonly string[] {
  const names = optionalVariable("CLIMAX_CONFIG") ?? "";
  return names.split(",").map((name) => name.trim()).filter((name) => name !== "");
}

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

/** Whether Windows takes files of that name for a device, whatever they end in. */
export function isDeviceName(name: string): boolean {
  return /^(?:con|prn|aux|nul|com[1-9]|lpt[1-9])(?:\.|$)/i.test(name);
}

const endings = [".yaml", ".yml"];

/** Whether the file at `path` is in the folder of a project. */
export function isProjectConfig(path: string): boolean {
  return dirname(path) === projectConfigs;
}

/** The files of one config. */
export interface OwnConfig {
  /** The one that counts first. */
  readonly files: readonly string[];
  /** The project's, which would hide another and was not accepted. */
  readonly passedOver?: string;
}

/** The files of the config `name`. */
export async function ownConfig(name: string): Promise<OwnConfig> {
  if (!isConfigName(name)) return { files: [] };
  const all = folders().flatMap((folder) => endings.map((ending) => join(folder, name + ending)));
  const files = all.filter(isReadable);
  const [first] = files;
  if (first === undefined || !isProjectConfig(first)) return { files };
  const others = files.filter((file) => !isProjectConfig(file));
  const hides = others.length > 0 || bundledConfigs.has(name);
  if (!hides || await isAccepted(first)) return { files };
  return { files: others, passedOver: first };
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
