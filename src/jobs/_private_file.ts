/** A file that only this process can open, in a directory that only its user can read. */

import { join } from "node:path";

export interface PrivateFile {
  readonly file: Deno.FsFile;
  remove(): void;
}

/** Most attempts: another process may remove the directory before there is a file in it. */
const mostTries = 10;

/**
 * Opens an empty file below `directory`, which is made and removed again. Returns nothing if that is not permitted,
 * or if the directory belongs to another user or is open to others. Never prompts for a permission.
 */
export function openFile(directory: string): PrivateFile | undefined {
  if (!mayWrite(directory)) return undefined;
  for (let tries = 0; tries < mostTries; tries++) {
    const opened = tryToOpen(directory);
    if (opened !== "gone") return opened;
  }
  return undefined;
}

function tryToOpen(directory: string): PrivateFile | undefined | "gone" {
  const path = join(directory, crypto.randomUUID());
  let file: Deno.FsFile | undefined;
  let hasName = false;
  const remove = () => {
    // Deno would prompt for a permission that was given up
    if (!mayWrite(directory)) return;
    if (hasName) Deno.removeSync(path);
    // Fails if another process has files in it
    quietly(() => Deno.removeSync(directory));
  };
  try {
    makeDirectory(directory);
    file = Deno.openSync(path, { read: true, write: true, createNew: true, mode: 0o600 });
    // On Windows an open file keeps its name
    hasName = !quietly(() => Deno.removeSync(path));
    if (!isOurs(directory, file)) throw new Error("The directory is not ours");
    if (!hasName) remove();
    return { file, remove };
  } catch (error) {
    file?.close();
    quietly(remove);
    return error instanceof Deno.errors.NotFound ? "gone" : undefined;
  }
}

/** Makes `directory`, but not its parent. */
function makeDirectory(directory: string): void {
  try {
    Deno.mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
}

function mayWrite(directory: string): boolean {
  return (["read", "write"] as const).every((name) => {
    return Deno.permissions.querySync({ name, path: directory }).state === "granted";
  });
}

/** Only the owner of `file`, which this process has just made, can read `directory`. */
function isOurs(directory: string, file: Deno.FsFile): boolean {
  const { isDirectory, mode, uid } = Deno.lstatSync(directory);
  if (!isDirectory) return false;
  if (Deno.build.os === "windows" || mode === null) return true;
  return (mode & 0o077) === 0 && uid === file.statSync().uid;
}

function quietly(action: () => void): boolean {
  try {
    action();
    return true;
  } catch {
    return false;
  }
}
