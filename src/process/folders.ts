/** Where a person's files are on this system. */

import { join, parse } from "node:path";
import { optionalVariable } from "./environment.ts";

/** The folders of a person. */
export interface HomeFolders {
  readonly home: string;
  /** Where programs keep their settings on this system. */
  readonly settings: string;
}

/** The variables that {@linkcode homeFolders} looks up. */
export const homeVariables: readonly string[] = Deno.build.os === "windows"
  ? ["HOME", "USERPROFILE", "APPDATA"]
  : ["HOME", "USERPROFILE", "XDG_CONFIG_HOME"];

/** The folders of the person who runs this, if it is known who that is. */
export function homeFolders(): HomeFolders | undefined {
  const home = optionalVariable("HOME") || optionalVariable("USERPROFILE");
  return home ? { home, settings: settingsFolder(home) } : undefined;
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

/** The folder this process runs in, also where it has been removed since. */
export function ownFolder(): string {
  return lastFolder = folderNow() ?? lastFolder;
}

/** Whether that folder is gone: whatever is seen from it cannot be found any more. */
export function isOwnFolderGone(): boolean {
  return folderNow() === undefined;
}

/** A folder that is always there, for programs that read nothing in theirs. */
export const rootFolder: string = parse(Deno.execPath()).root;

function folderNow(): string | undefined {
  try {
    return Deno.cwd();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

// Deno itself does not start in a folder that is gone
let lastFolder = folderNow() ?? ".";
