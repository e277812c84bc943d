/** Locates the file of the groups of a project, which `groups.ts` reads. */

import { dirname, join } from "node:path";

/** Returns the path for the project with the config `config`, by default that of the current folder. */
export function groupsBeside(config = "."): string {
  return join(config === "." ? config : dirname(config), ".tamamo-x", "groups.json");
}
