/** Opens files of a person that no other user may read or change, and notices when an open file was replaced. */

import { join } from "node:path";
import { exposureOf, makePrivateFolder } from "../files/write_file.ts";
import { protect } from "../process/protected_paths.ts";
import { StateError } from "./store.ts";

export interface PrivateFile {
  readonly path: string;
  readonly file: Deno.FsFile;
}

/** Opens or makes the file `name` in an absolute folder. @throws {StateError} if others can read or change the file */
export async function openPrivateFile(folder: string, name: string): Promise<PrivateFile> {
  const path = join(folder, name);
  await makePrivateFolder(folder);
  // A link is refused first, because opening would create its target
  const isThere = await Deno.lstat(path).then(() => true, () => false);
  if (isThere) refuseExposure(path);
  const options = { read: true, write: true, create: true, mode: 0o600 };
  return { path, file: await Deno.open(protect(path, "hidden"), options) };
}

/** Returns whether the path still names the open file. @throws {StateError} if others can read or change it */
export function isInPlace({ path, file }: PrivateFile): boolean {
  refuseExposure(path);
  // Windows never replaces open files, and its `dev` and `ino` cannot be compared: they differ for a file and its path
  if (Deno.build.os === "windows") return true;
  const [open, there] = [file.statSync(), Deno.lstatSync(path)];
  return open.dev === there.dev && open.ino === there.ino;
}

export function readAt(file: Deno.FsFile, from: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  file.seekSync(from, Deno.SeekMode.Start);
  for (let read: number | null = 0, at = 0; read !== null && at < length; at += read ?? 0) {
    read = file.readSync(bytes.subarray(at));
  }
  return bytes;
}

export function writeAt(file: Deno.FsFile, from: number, bytes: Uint8Array): void {
  file.seekSync(from, Deno.SeekMode.Start);
  for (let rest = bytes; rest.length > 0;) rest = rest.subarray(file.writeSync(rest));
}

function refuseExposure(path: string): void {
  const exposure = exposureOf(path);
  if (exposure !== undefined) throw new StateError("unreadable", `${path}: ${exposure}`);
}
