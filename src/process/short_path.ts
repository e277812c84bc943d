/** Shortens paths for people. */

import { relative } from "node:path";
import { homeFolders } from "./folders.ts";

/** `path` with `~` for the home folder; as it is elsewhere. */
export function shortPath(path: string): string {
  const home = homeFolders()?.home;
  if (home === undefined) return path;
  const below = relative(home, path);
  return below === "" || below.startsWith("..") || below === path
    ? path
    : `~/${below.replaceAll("\\", "/")}`;
}
