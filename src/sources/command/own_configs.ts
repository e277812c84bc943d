/**
 * Finds the configs of the project, in `.climax/`, and those of the person. A config of a project replaces another
 * config of its name only if the person has accepted it.
 */

import { dirname, join } from "node:path";
import { optionalVariable, systemPath } from "../../io.ts";
import { homeFolders, statOf } from "../../process/folders.ts";
import { bundledNames } from "./bundled.ts";
import { readTextFile } from "../../files/text_file.ts";
import { mayRead } from "../../process/permissions.ts";
import { isAccepted, type Thing } from "../../trust/accepted.ts";

/** Returns the configs that the variable `CLIMAX_CONFIG` names, for a command line that names none. */
export function usualConfigs(): readonly string[] {
  const names = optionalVariable("CLIMAX_CONFIG") ?? "";
  return names.split(",").map((name) => name.trim()).filter((name) => name !== "");
}

export const projectConfigs = ".climax";

export function personalConfigs(): string | undefined {
  const folders = homeFolders();
  return folders && join(folders.settings, "climax", "configs");
}

export function isPersonalConfig(path: string): boolean {
  const folder = personalConfigs();
  return folder !== undefined && dirname(path) === folder;
}

export function isConfigName(name: string): boolean {
  return /^[A-Za-z0-9][\w.-]{0,63}$/.test(name);
}

const endings = [".yaml", ".yml"];

export function isProjectConfig(path: string): boolean {
  return dirname(path) === projectConfigs;
}

interface OwnConfig {
  readonly files: readonly string[];
  /** A config of the project that nobody has accepted, and that therefore replaces no other one of its name. */
  readonly passedOver?: string;
}

export async function ownConfig(name: string): Promise<OwnConfig> {
  if (!isConfigName(name)) return { files: [] };
  const all = folders().flatMap((folder) => endings.map((ending) => join(folder, name + ending)));
  // Without permission to read these folders, their configs are ignored, since Deno would ask a question
  const files = all.filter((path) => mayRead(path) && statOf(path)?.isFile);
  const [first] = files;
  if (first === undefined || !isProjectConfig(first)) return { files };
  const others = files.filter((file) => !isProjectConfig(file));
  const hides = others.length > 0 || bundledNames.has(name);
  if (!hides || await isAcceptedConfig(first)) return { files };
  return { files: others, passedOver: first };
}

/** Finds the configs of the project and the person. Those of the project that nobody has accepted are in `foreign`. */
export async function findUnnamedOwnConfigs() {
  const names = await ownConfigNames();
  const divided = await Promise.all(names.map(async (name) => {
    const { files: [file], passedOver } = await ownConfig(name);
    const isLoaded = file !== undefined && (!isProjectConfig(file) || await isAcceptedConfig(file));
    const foreign = passedOver ?? (isLoaded ? undefined : file);
    return { name, isLoaded, foreign };
  }));
  return {
    loaded: divided.flatMap(({ name, isLoaded }) => isLoaded ? [name] : []),
    foreign: divided.flatMap(({ foreign }) => foreign ?? []),
    names,
  };
}

export async function ownConfigNames(): Promise<readonly string[]> {
  const names = await Promise.all(folders().map(configNamesOf));
  return [...new Set(names.flat())].toSorted();
}

async function configNamesOf(folder: string): Promise<string[]> {
  if (!mayRead(folder)) return [];
  try {
    const entries = await Array.fromAsync(Deno.readDir(systemPath(folder)));
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

/** Returns what the trust file stores when a person accepts a config: its path and the hash of its text. */
export async function configThing(file: string, text: string): Promise<Thing> {
  const { sha256 } = await import("../../text/hash.ts");
  return { kind: "config", path: file, sha256: sha256(text) };
}

async function isAcceptedConfig(file: string): Promise<boolean> {
  const read = mayRead(file) ? await readTextFile(file) : undefined;
  return read?.ok === true && await isAccepted(await configThing(file, read.text));
}
