/** Looks up the paths that the settings of a sandbox name, and resolves their links. */

import { basename, dirname } from "node:path";
import { systemPath } from "../io.ts";
import { isThere } from "../process/protected_paths.ts";

/** A sandbox cannot be made as it was asked for. */
export class SandboxError extends Error {}

export interface FoundPath {
  readonly path: string;
  readonly isDirectory: boolean;
}

/** Returns the target of `path`; `undefined` if nothing is there. @throws {SandboxError} without permission to look */
export function lookAt(path: string): FoundPath | undefined {
  try {
    const real = Deno.realPathSync(systemPath(path));
    const { isDirectory, isFile, isSocket } = Deno.statSync(systemPath(real));
    return isDirectory || isFile || isSocket ? { path: real, isDirectory } : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) {
      throw new SandboxError(
        `this server may not look at '${path}', which takes --allow-read=${path}`,
      );
    }
    // A folder on the way that this user may not enter is closed to the program as well, so nothing is there for it
    return undefined;
  }
}

export function isClosed({ path, isDirectory }: FoundPath): boolean {
  if (isDirectory) return false;
  try {
    Deno.openSync(systemPath(path)).close();
    return false;
  } catch (error) {
    return error instanceof Deno.errors.PermissionDenied;
  }
}

export function linkAt(path: string): string | undefined {
  try {
    return Deno.readLinkSync(systemPath(path));
  } catch {
    return undefined;
  }
}

/** If the listing of a folder has more than this many bytes, climax looks up each name by itself. */
const listedBytes = 64 * 1024;

/** Lists each folder once, because it takes long to look for many missing paths one by one. */
export class Folders {
  readonly #names = new Map<string, ReadonlySet<string> | undefined>();

  has(path: string): boolean {
    const names = this.#names.getOrInsertComputed(dirname(path), namesOf);
    return names?.has(basename(path)) ?? isThere(path);
  }
}

function namesOf(folder: string): ReadonlySet<string> | undefined {
  try {
    if (Deno.statSync(systemPath(folder)).size > listedBytes) return undefined;
    return new Set(Array.from(Deno.readDirSync(systemPath(folder)), ({ name }) => name));
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? new Set() : undefined;
  }
}
