/** Makes temporary folders, and removes those that are left when the process ends, by a signal too. */

import { beforeEndBySignal } from "./end_signals.ts";

const folders = new Set<string>();
let unlisten = () => {};

/** Makes a folder for `purpose` and returns its path, absolute and without links. @throws when it cannot be made */
export function makeTemporaryFolder(purpose = ""): string {
  const path = Deno.realPathSync(Deno.makeTempDirSync({ prefix: `climax-${purpose}` }));
  if (folders.size === 0) {
    globalThis.addEventListener("unload", removeAll);
    unlisten = beforeEndBySignal(removeAll);
  }
  folders.add(path);
  return path;
}

/** Removes the folder at `path` with all that is in it. @throws when something stays */
export async function removeTemporaryFolder(path: string): Promise<void> {
  try {
    await Deno.remove(path, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  folders.delete(path);
  if (folders.size > 0) return;
  globalThis.removeEventListener("unload", removeAll);
  unlisten();
}

function removeAll(): void {
  for (const path of folders) {
    try {
      Deno.removeSync(path, { recursive: true });
    } catch {
      // It is gone, or belongs to another user now
    }
  }
}
