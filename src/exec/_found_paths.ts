/** Looks at the paths of a sandbox, and resolves their links. */

import { basename, dirname, join } from "node:path";
import { systemPath } from "../io.ts";
import { isThere } from "../process/protected_paths.ts";

/** Says that a sandbox cannot be made as it was asked for. */
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
    // A folder on the way that this user may not enter is closed to the program as well
    return undefined;
  }
}

/** Returns whether this user cannot open a file, so that no program of this user can. */
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

type Entries = ReadonlyMap<string, Deno.DirEntry>;

interface Folder {
  readonly path: string;
  readonly entries: Entries;
}

/** A folder with more bytes than this has many thousands of entries, and is not listed: each name is looked up. */
const listedBytes = 64 * 1024;

/** Lists folders once, so that many paths are found at one moment, and faster than one by one. */
export class Folders {
  /** Folders by path; `undefined` for a folder that is not listed. */
  readonly #listed = new Map<string, Folder | undefined>();

  /** Returns the targets of those of `paths` that are there. @throws {SandboxError} */
  pathsFound(paths: readonly string[]): readonly FoundPath[] {
    return paths.flatMap((path) => {
      if (!this.has(path)) return [];
      const folder = this.#listed.get(dirname(path));
      const entry = folder?.entries.get(basename(path));
      if (folder === undefined || !(entry?.isDirectory || entry?.isFile)) return lookAt(path) ?? [];
      return [{ path: join(folder.path, entry.name), isDirectory: entry.isDirectory }];
    });
  }

  linkAt(path: string): string | undefined {
    if (!this.has(path)) return undefined;
    const folder = this.#listed.get(dirname(path));
    return !folder || folder.entries.get(basename(path))?.isSymlink ? linkAt(path) : undefined;
  }

  /** Returns false only if nothing is at `path`. */
  has(path: string): boolean {
    const folder = dirname(path);
    if (!this.#listed.has(folder)) {
      // If the folder above is listed, its list says whether this folder exists
      const isGone = this.#listed.has(dirname(folder)) && !this.has(folder);
      this.#listed.set(folder, isGone ? { path: folder, entries: new Map() } : list(folder));
    }
    return this.#listed.get(folder)?.entries.has(basename(path)) ?? isThere(path);
  }
}

/** Returns the entries of a folder; `undefined` if it cannot be listed, or is large. */
function list(folder: string): Folder | undefined {
  try {
    const path = Deno.realPathSync(systemPath(folder));
    if (Deno.statSync(systemPath(path)).size > listedBytes) return undefined;
    const entries = new Map(
      [...Deno.readDirSync(systemPath(path))].map((each) => [each.name, each]),
    );
    return { path, entries };
  } catch (error) {
    const isGone = error instanceof Deno.errors.NotFound;
    return isGone ? { path: folder, entries: new Map() } : undefined;
  }
}
