/** Keeps the rules of a sandbox for files: the access to each path, and which paths must be mounts. */

import { dirname } from "node:path";
import { contains } from "../process/folders.ts";
import { type FoundPath, isClosed, lookAt, SandboxError } from "./_found_paths.ts";

/** What a program finds at a path: `private` is an empty folder in which it may write, `hidden` one that stays empty. */
export type Access = "read" | "write" | "private" | "hidden";

export interface SeenPath {
  /** The absolute path; its links are resolved unless `link` is present. */
  readonly path: string;
  readonly access: Access;
  readonly isDirectory: boolean;
  readonly link?: string;
}

const machine = new Map<string, FoundPath | undefined>();

export class FileRules {
  readonly #seen = new Map<string, SeenPath>();
  /** Writable paths that are mounts even in a writable folder, so that no program puts a link in their place. */
  readonly #pinned = new Set<string>();

  set(path: string, access: Access, isDirectory = true): void {
    this.#seen.set(path, { path, access, isDirectory });
  }

  add(path: string, access: Access): void {
    const found = lookAt(path);
    if (found !== undefined) this.set(found.path, access, found.isDirectory);
  }

  addOfMachine(path: string, access: Access): void {
    const found = machine.getOrInsertComputed(path, lookAt);
    if (found && !isClosed(found)) this.set(found.path, access, found.isDirectory);
  }

  /** Throws if `path` has become a link since the start, because a program has made it to lead the sandbox elsewhere. */
  addPinned(path: string, access: Access): void {
    const found = lookAt(path);
    if (found === undefined) throw new SandboxError(`'${path}' of the sandbox is not there`);
    if (found.path !== path) {
      throw new SandboxError(`'${path}' of the sandbox leads to '${found.path}' since the start`);
    }
    this.set(path, access, found.isDirectory);
  }

  addNamed(path: string): void {
    const found = lookAt(path);
    if (found === undefined) return;
    if (!this.isWritable(found.path)) this.set(found.path, "read", found.isDirectory);
    if (found.path !== path && !this.isReadable(dirname(path))) {
      this.set(path, "read", found.isDirectory);
    }
  }

  addSystem(path: string): void {
    const found = lookAt(path);
    if (found === undefined) return;
    if (found.path === path) return this.set(path, "read");
    this.#seen.set(path, { ...found, path, access: "read", link: found.path });
  }

  /** Makes `path` read-only if a program could write there; it never makes a path more visible than it was. */
  protect(path: string): void {
    const found = lookAt(path);
    if (found && this.isWritable(found.path)) this.set(found.path, "read", found.isDirectory);
  }

  /**
   * Makes mounts of the folders above hidden paths and `others`, since a program that renames such a folder would evade
   * the rules for paths in it.
   */
  pin(others: readonly string[]): void {
    const hidden = [...this.#seen.values()].filter(({ access }) => access === "hidden");
    for (const path of [...hidden.map(({ path }) => path), ...others]) {
      if (path === "/" || this.#above(path) !== "write") continue;
      for (let folder = dirname(path); !this.#seen.has(folder); folder = dirname(folder)) {
        this.set(folder, "write");
      }
    }
  }

  /** Mounts writable `paths` that other sandboxes name, since a program could otherwise put a link in their place. */
  pinNamed(paths: Iterable<string>): void {
    for (const path of paths) {
      if (this.#seen.has(path) || this.#above(path) !== "write") continue;
      const found = lookAt(path);
      if (found?.path !== path) continue;
      this.pin([path]);
      this.set(path, "write", found.isDirectory);
      this.#pinned.add(path);
    }
  }

  // Callers of `isWritable` and `isReadable` must resolve the links in `path` before
  isWritable(path: string): boolean {
    return this.#accessTo(path) === "write";
  }

  isReadable(path: string): boolean {
    const access = this.#accessTo(path);
    return access === "read" || access === "write";
  }

  /** Returns whether a program can enter `folder`, because the folder or a path in it is visible. */
  has(folder: string): boolean {
    if (this.#seen.has(folder) || this.isReadable(folder)) return true;
    return this.#seen.keys().some((path) => this.isReadable(path) && contains(folder, path));
  }

  order(): readonly SeenPath[] {
    const all = [...this.#seen.values()].toSorted((a, b) => depthOf(a.path) - depthOf(b.path));
    return all.filter((seen) => {
      const above = this.#above(seen.path);
      // A path below a hidden or private folder needs no mount that hides it, because no program sees it anyway
      if (seen.access === "hidden") return above !== "hidden" && above !== "private";
      // A writable file in a writable folder is no mount: programs write a file by replacing it, which a mount prevents
      if (seen.access === "write" && above === "write") {
        return seen.isDirectory || this.#pinned.has(seen.path);
      }
      return seen.access !== "read" || above !== "read" || seen.link !== undefined;
    });
  }

  #accessTo(path: string): Access | undefined {
    return this.#seen.get(path)?.access ?? this.#above(path);
  }

  #above(path: string): Access | undefined {
    for (let folder = path; folder !== dirname(folder);) {
      folder = dirname(folder);
      const seen = this.#seen.get(folder);
      if (seen !== undefined) return seen.access;
    }
    return undefined;
  }
}

function depthOf(path: string): number {
  return path === "/" ? 0 : path.split("/").length;
}
