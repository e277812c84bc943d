/** Where groups are kept. */

import { dirname, join } from "node:path";

/** The path of the groups of the project whose config is at `config`; without one, of the one here. */
export function groupsBeside(config = "."): string {
  return join(config === "." ? config : dirname(config), ".tamamo-x", "groups.json");
}
