/** Caches of Deno with some packages and no others, as they are on a machine that has started less. */

import { cp } from "node:fs/promises";
import { join } from "node:path";

/** Everything that serving programs fetches: neither language models, nor clients, nor tests. */
export const served: readonly string[] = [
  ...["@commander-js/extra-typings", "@modelcontextprotocol/core", "@modelcontextprotocol/server"],
  ...["argparse", "commander", "js-yaml", "stemmer", "zod"],
];

/** Makes `directory` one, from this machine's own. */
export async function cacheWith(packages: readonly string[], directory: string): Promise<void> {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  const { npmCache } = JSON.parse(new TextDecoder().decode(stdout));
  const registry = "registry.npmjs.org";
  for (const name of packages) {
    const from = join(npmCache, registry, name);
    await cp(from, join(directory, "npm", registry, name), { recursive: true });
  }
}
