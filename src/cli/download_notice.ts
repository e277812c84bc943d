/**
 * Tells a person at a terminal that a start from source waits for libraries. Deno fetches them
 * when they are first imported, and is started so that it says nothing of it, since clients log what
 * a server says. Where Deno keeps them is the documented place of its cache.
 */

import { join } from "node:path";
import { allSaid, say } from "../log.ts";
import { buildForm } from "../process/build_info.ts";
import { optionalVariable } from "../process/environment.ts";
import { homeFolders } from "../process/folders.ts";

/** Says on a terminal that libraries are fetched when `name`, which is imported next, is not here. */
export async function sayFetching(name: string): Promise<void> {
  if (buildForm() !== "source" || !Deno.stderr.isTerminal() || !isMissing(name)) return;
  say("Fetching the libraries that this takes; later starts have them and ask no registry");
  await allSaid();
}

/** Returns whether the locked version of a package is missing in Deno's cache; false if unknown. */
function isMissing(name: string): boolean {
  try {
    const lock = JSON.parse(Deno.readTextFileSync(new URL("../../deno.lock", import.meta.url)));
    const locked = Object.keys(lock.npm).find((id) => id.startsWith(`${name}@`))!;
    const [version] = locked.slice(name.length + 1).split("_");
    const packages = join(cacheFolder()!, "npm");
    // A folder for each registry
    const registries = [...Deno.readDirSync(packages)];
    return !registries.some((registry) => isThere(join(packages, registry.name, name, version!)));
  } catch {
    return false;
  }
}

function isThere(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Where Deno keeps what it fetched. */
function cacheFolder(): string | undefined {
  const chosen = optionalVariable("DENO_DIR");
  if (chosen) return chosen;
  const home = homeFolders()?.home;
  switch (Deno.build.os) {
    case "windows":
      return join(optionalVariable("LOCALAPPDATA")!, "deno");
    case "darwin":
      return join(home!, "Library", "Caches", "deno");
    default:
      return join(optionalVariable("XDG_CACHE_HOME") || join(home!, ".cache"), "deno");
  }
}
