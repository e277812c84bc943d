/** Where the groups of a project stand; `groups.ts` reads the file. */

import { dirname, join } from "node:path";

/** The path of the groups of the project with the config `config`; by default, of the current folder. */
export function groupsBeside(config = "."): string {
  return join(config === "." ? config : dirname(config), ".tamamo-x", "groups.json");
}
