/** A file that nobody else can open, in a directory that is ours alone. */

import { join } from "node:path";

/** A file that is open, and how to take away what is left of it when it is closed. */
export interface PrivateFile {
  readonly file: Deno.FsFile;
  remove(): void;
}

/** Times that another process may take the directory away before a file is in it. */
const mostTries = 10;

/**
 * Opens an empty file below `directory`, which is there only for as long as that takes; nothing where we
 * may not, or where the directory is somebody else's or open to others. Asks nobody for permission.
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
    // Asked for a right that was given up, Deno asks the person in turn
    if (!mayWrite(directory)) return;
    if (hasName) Deno.removeSync(path);
    // Another process may have files in it
    quietly(() => Deno.removeSync(directory));
  };
  try {
    makeDirectory(directory);
    file = Deno.openSync(path, { read: true, write: true, createNew: true, mode: 0o600 });
    // Windows keeps the name of a file that is open
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

/** Makes `directory`, where it is not there; what it is in must be, and is nothing of ours to make. */
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

/** Whether nobody but the owner of `file`, which we have just made, can look into `directory`. */
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
