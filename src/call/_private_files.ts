/** Files that nobody else can open, in a directory that is ours alone. */

import { join } from "node:path";

/** Files that are open, and how to take away what is left of them when they are closed. */
export interface PrivateFiles {
  readonly files: readonly Deno.FsFile[];
  remove(): void;
}

/** Times that another process may take the directory away before a file is in it. */
const mostTries = 10;

/**
 * Opens `count` empty files below `directory`, which is there only for as long as that takes; nothing where
 * we may not, or where the directory is somebody else's or open to others. Asks nobody for permission.
 */
export function openFiles(directory: string, count: number): PrivateFiles | undefined {
  if (!mayWrite(directory)) return undefined;
  for (let tries = 0; tries < mostTries; tries++) {
    const opened = tryToOpen(directory, count);
    if (opened !== "gone") return opened;
  }
  return undefined;
}

function tryToOpen(directory: string, count: number): PrivateFiles | undefined | "gone" {
  const files: Deno.FsFile[] = [];
  const paths: string[] = [];
  const remove = () => {
    // Asked for a right that was given up, Deno asks the person in turn
    if (!mayWrite(directory)) return;
    for (const path of paths) Deno.removeSync(path);
    // Another process may have files in it
    quietly(() => Deno.removeSync(directory));
  };
  try {
    Deno.mkdirSync(directory, { recursive: true, mode: 0o700 });
    for (let each = 0; each < count; each++) {
      const path = join(directory, crypto.randomUUID());
      const file = Deno.openSync(path, { read: true, write: true, createNew: true, mode: 0o600 });
      files.push(file);
      // Windows keeps the name of a file that is open
      if (!quietly(() => Deno.removeSync(path))) paths.push(path);
      if (each === 0 && !isOurs(directory, file)) throw new Error("The directory is not ours");
    }
    if (paths.length === 0) remove();
    return { files, remove };
  } catch (error) {
    for (const file of files) file.close();
    quietly(remove);
    return error instanceof Deno.errors.NotFound ? "gone" : undefined;
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
