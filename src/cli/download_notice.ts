/**
 * Tells a person at a terminal that a start from source downloads libraries first. Deno is started quietly,
 * since clients log what a server prints, so it does not say so itself. The folder of Deno's cache is the
 * documented one.
 */

import { join } from "node:path";
import { io } from "../io.ts";
import { allSaid, note } from "../log.ts";
import { buildForm } from "../process/build_info.ts";
import { optionalVariable } from "../process/environment.ts";
import { homeFolders } from "../process/folders.ts";

/** Prints a notice on a terminal when the package `name`, which is imported next, must be downloaded. */
export async function sayFetching(name: string): Promise<void> {
  if (buildForm() !== "source" || !io().stderr.isTerminal() || !isMissing(name)) return;
  note("Fetching the libraries that this takes; later starts have them and ask no registry");
  await allSaid();
}

/** True when Deno's cache lacks the locked version of a package; false if unknown. */
function isMissing(name: string): boolean {
  try {
    const lock = JSON.parse(Deno.readTextFileSync(new URL("../../deno.lock", import.meta.url)));
    const locked = Object.keys(lock.npm).find((id) => id.startsWith(`${name}@`))!;
    const [version] = locked.slice(name.length + 1).split("_");
    const packages = join(cacheFolder()!, "npm");
    // There is a folder for each registry
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

/** The folder of Deno's cache. */
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
