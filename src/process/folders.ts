/** Finds the folders of a person and of this program, and reads the attributes of files. */

import { dirname, join, parse, relative, resolve, sep } from "node:path";
import { io, optionalVariable, systemPath } from "../io.ts";

export interface HomeFolders {
  readonly home: string;
  readonly settings: string;
}

export function homeFolders(): HomeFolders | undefined {
  const home = optionalVariable("HOME") || optionalVariable("USERPROFILE");
  return home ? { home, settings: settingsFolder(home) } : undefined;
}

/** Returns the home folders of the person by `HOME` and by the password file. Links are not resolved. */
export function personalHomes(): readonly string[] {
  const { home = "" } = homeFolders() ?? {};
  return [...new Set([home, ...passwordHomes(home)])].filter((path) => path !== "" && path !== "/");
}

const homesKnown = new Map<string, readonly string[]>();

function passwordHomes(home: string): readonly string[] {
  return homesKnown.getOrInsertComputed(home, () => {
    const owner = statOf(home)?.uid;
    const passwords = attempt(() => Deno.readTextFileSync(systemPath("/etc/passwd"))) ?? "";
    return homesIn(passwords).filter((each) => {
      return owner !== undefined && statOf(each)?.uid === owner;
    });
  });
}

export function homesIn(passwords: string): readonly string[] {
  return passwords.split("\n").map((line) => line.split(":")).flatMap(([, , id, , , home = ""]) => {
    const isPerson = Number(id) === 0 || Number(id) >= 1000 && Number(id) < 60_000;
    return isPerson && /^\/./.test(home) ? [home] : [];
  });
}

export function denoFolder(): string | undefined {
  const chosen = optionalVariable("DENO_DIR");
  if (chosen) return chosen;
  const home = homeFolders()?.home;
  switch (Deno.build.os) {
    case "windows": {
      const local = optionalVariable("LOCALAPPDATA");
      return local && join(local, "deno");
    }
    case "darwin":
      return home && join(home, "Library", "Caches", "deno");
    default: {
      const caches = optionalVariable("XDG_CACHE_HOME") || home && join(home, ".cache");
      return caches && join(caches, "deno");
    }
  }
}

function settingsFolder(home: string): string {
  switch (Deno.build.os) {
    case "darwin":
      return join(home, "Library", "Application Support");
    case "windows":
      return optionalVariable("APPDATA") || join(home, "AppData", "Roaming");
    default:
      return optionalVariable("XDG_CONFIG_HOME") || join(home, ".config");
  }
}

/** Returns `CLIMAX_CACHE_DIR`, or climax's folder in the system's caches; for a profile, a folder below. */
export function cacheFolder(): string | undefined {
  const folder = cacheFolderForAll();
  return folder && ofProfile(folder);
}

function ofProfile(folder: string): string {
  const { profile } = io();
  return profile === undefined ? folder : join(folder, "profiles", profile);
}

function cacheFolderForAll(): string | undefined {
  const own = optionalVariable("CLIMAX_CACHE_DIR");
  if (own) return systemPath(own);
  const base = optionalVariable("XDG_CACHE_HOME") || optionalVariable("LOCALAPPDATA");
  if (base) return join(base, "climax");
  const home = optionalVariable("HOME");
  return home ? join(home, ".cache", "climax") : undefined;
}

function stateFolder(): string | undefined {
  const own = optionalVariable("CLIMAX_STATE_DIR");
  if (own) return own;
  const base = optionalVariable("XDG_STATE_HOME");
  if (base) return join(base, "climax");
  const home = homeFolders()?.home;
  switch (Deno.build.os) {
    case "darwin":
      return home && join(home, "Library", "Application Support", "climax");
    case "windows": {
      const local = optionalVariable("LOCALAPPDATA");
      return local ? join(local, "climax", "state") : home && join(home, ".climax-state");
    }
    default:
      return home && join(home, ".local", "state", "climax");
  }
}

export function ownFolders(): readonly string[] {
  const settings = homeFolders()?.settings;
  const all = [cacheFolderForAll(), stateFolder(), settings && join(settings, "climax")];
  return all.flatMap((path) => path ? [resolve(systemPath(path))] : []);
}

export const loginsName = ".climax-logins";

/** Returns the folder with the tokens of logins to MCP servers; for a profile, a folder below. */
export function loginsFolder(): string | undefined {
  const state = stateFolder();
  return state && systemPath(ofProfile(join(state, loginsName)));
}

/** Returns the working directory of this process, even after the directory was removed. */
export function ownFolder(): string {
  const now = folderNow() ?? lastFolder;
  if (io().profile === undefined) lastFolder = now;
  return now;
}

/** Returns whether the working directory was removed, so that no relative path leads anywhere. */
export function isOwnFolderGone(): boolean {
  return folderNow() === undefined;
}

/** A folder that always exists, for programs that need no particular one. */
export const rootFolder: string = parse(Deno.execPath()).root;

function folderNow(): string | undefined {
  try {
    return io().cwd();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

let lastFolder = folderNow() ?? ".";

export function shortPath(path: string): string {
  const home = homeFolders()?.home;
  if (home === undefined) return path;
  const below = relative(home, path);
  return below === "" || below.startsWith("..") || below === path
    ? path
    : `~/${below.replaceAll("\\", "/")}`;
}

/** Returns a text that differs after a file was replaced, or its content or mode was changed. */
export function fileStamp({ dev, ino, size, mode, mtime, ctime }: Deno.FileInfo): string {
  return [dev, ino, size, mode, mtime?.getTime(), ctime?.getTime()].join();
}

export function statOf(path: string): Deno.FileInfo | undefined {
  return attempt(() => Deno.statSync(systemPath(path)));
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

export function realPathOf(path: string): string | undefined {
  return attempt(() => Deno.realPathSync(systemPath(path)));
}

/** Returns whether a tool may change `file`: it is in the served folder, or in a git repository around that folder. */
export function isNear(file: string): boolean {
  const [folder, own] = [dirname(resolve(ownFolder(), systemPath(file))), ownFolder()].map((path) =>
    (realPathOf(path) ?? path) + sep
  );
  const isInRepository = (path: string): boolean => {
    return statOf(join(path, ".git")) !== undefined ||
      dirname(path) !== path && isInRepository(dirname(path));
  };
  return folder!.startsWith(own!) || own!.startsWith(folder!) && isInRepository(folder!);
}

/** Returns a text that differs after the file at `path` was changed; for a file that cannot be read, the error's name. */
export function stampOfPath(path: string): string {
  try {
    return fileStamp(Deno.statSync(systemPath(path)));
  } catch (error) {
    return error instanceof Error ? error.name : "gone";
  }
}

/** Returns whether `path` is `folder` or below. Both are absolute, with links resolved. */
export function contains(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

export function namesIn(folder: string): readonly string[] {
  return attempt(() => [...Deno.readDirSync(systemPath(folder))].map(({ name }) => name)) ?? [];
}
