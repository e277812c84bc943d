/** Where a person's files are on this system. */

import { join } from "node:path";
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
