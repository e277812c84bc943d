/**
 * Decides what a program in a sandbox sees of the files: for each path the nearest rule above it counts. Paths that are
 * not there have no rule.
 */

import { basename, dirname, join } from "node:path";
import { systemPath } from "../io.ts";
import { optionalVariable } from "../process/environment.ts";
import { homeFolders } from "../process/folders.ts";
import {
  privateInHome,
  privateOnMachine,
  protectedInGit,
  protectedNames,
  publicInRun,
  resolverInRun,
  socketVariables,
  systemFolders,
} from "./private_paths.ts";

/** What a program in a sandbox may do. */
export interface Sandbox {
  /** Files and directories that it may write, absolute, links resolved. */
  readonly write: readonly string[];
  /** What it may read in addition to the system's own folders and `write`; `/` for everything that is not hidden. */
  readonly read: readonly string[];
  /** What it does not see, in addition to the list of `private_paths.ts`. */
  readonly hide: readonly string[];
  readonly network: "none" | "host";
  /** Variables that it may inherit in addition to `basicVariables`; absent: those of its config. */
  readonly env?: readonly string[];
  /** The keys that neither policy nor user has set, so that a config that comes with climax may ask for more. */
  readonly silent?: readonly ("write" | "read" | "env" | "network")[];
}

/** A sandbox cannot be made as it was asked for. */
export class SandboxError extends Error {}

/** `private` is an empty folder of its own, `hidden` one that stays empty. */
export type Access = "read" | "write" | "private" | "hidden";

export interface SeenPath {
  /** Absolute, links resolved unless `link` is there. */
  readonly path: string;
  readonly access: Access;
  readonly isDirectory: boolean;
  /** The target of a link that is shown as a link. */
  readonly link?: string;
}

/** What a program that starts in `cwd` sees, parents first. @throws {SandboxError} */
export function viewOf(sandbox: Sandbox, cwd: string): readonly SeenPath[] {
  const view = new View();
  const sees = sandbox.read.includes("/");
  view.set("/", sees ? "read" : "hidden");
  if (!sees) systemFolders.forEach((path) => view.addSystem(path));
  view.addOfMachine("/tmp", "private");
  for (const path of privateOnMachine) view.addOfMachine(path, "hidden");
  for (const path of thereOf(privatePaths())) view.add(path, "hidden");
  const inRun = sandbox.network === "host" ? [...publicInRun, ...resolverInRun] : publicInRun;
  for (const path of inRun) view.addOfMachine(path, "read");
  for (const path of sandbox.read) if (path !== "/") view.addPinned(path, "read");
  for (const path of sandbox.write) view.addPinned(path, "write");
  for (const path of thereOf(protectedPaths(sandbox.write, cwd))) view.add(path, "read");
  for (const path of sandbox.hide) view.add(path, "hidden");
  return view.ordered();
}

/** The paths that {@linkcode viewOf} looks at, for the permission to read them. */
export function lookedAt({ write, read, hide }: Sandbox): readonly string[] {
  const system = read.includes("/") ? [] : systemFolders;
  const own = ["/tmp", ...system, ...publicInRun, ...resolverInRun];
  return [
    ...new Set([
      ...write,
      ...read.filter((path) => path !== "/"),
      ...hide,
      ...privateOnMachine,
      ...privatePaths(),
      ...own,
    ]),
  ];
}

/** What belongs to the person. */
function privatePaths(): readonly string[] {
  const home = homeFolders()?.home;
  return [
    ...(home === undefined ? [] : privateInHome.map((name) => join(home, name))),
    ...socketVariables.flatMap((name) => socketIn(optionalVariable(name) ?? "")),
  ];
}

/** The absolute path in `/path`, `unix:///path`, `unix:path=/path,guid=…` and `/path,1,0`. */
function socketIn(value: string): readonly string[] {
  const path = /^(?:unix:(?:path=|\/\/)?)?(\/[^,;]*)/.exec(value)?.[1];
  return path === undefined || /^\/*$/.test(path) ? [] : [path];
}

/** What may not be written inside of `write` unless it is named there. */
function protectedPaths(write: readonly string[], cwd: string): readonly string[] {
  const named = new Set(write);
  const folders = new Set(write);
  // A call may start in a repository below
  for (let folder = cwd; write.some((path) => isIn(folder, path)); folder = dirname(folder)) {
    folders.add(folder);
    if (folder === dirname(folder)) break;
  }
  return [...folders].flatMap((folder) => {
    const names = named.has(folder) && folder.endsWith("/.git") ? protectedInGit : protectedNames;
    return names.map((name) => join(folder, name));
  }).filter((path) => !named.has(path));
}

/** Without most of the paths that are not there: a list of a folder takes less than a look at each of them. */
function thereOf(paths: readonly string[]): readonly string[] {
  const names = new Map<string, ReadonlySet<string> | undefined>();
  return paths.filter((path) => {
    const folder = dirname(path);
    if (!names.has(folder)) names.set(folder, namesIn(folder));
    return names.get(folder)?.has(basename(path)) ?? true;
  });
}

/** The names in `folder`; nothing if it cannot be listed. */
function namesIn(folder: string): ReadonlySet<string> | undefined {
  try {
    return new Set([...Deno.readDirSync(systemPath(folder))].map(({ name }) => name));
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? new Set() : undefined;
  }
}

/** True if `path` is `folder`, or in it. */
function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

/** What paths of the system lead to. */
const machine = new Map<string, ReturnType<typeof lookAt>>();

class View {
  readonly #seen = new Map<string, SeenPath>();

  set(path: string, access: Access, isDirectory = true): void {
    this.#seen.set(path, { path, access, isDirectory });
  }

  /** Adds what `path` leads to, if it is there. */
  add(path: string, access: Access): void {
    const found = lookAt(path);
    if (found !== undefined) this.set(found.path, access, found.isDirectory);
  }

  /** Adds a path of the system, which neither comes nor goes while this process runs. */
  addOfMachine(path: string, access: Access): void {
    if (!machine.has(path)) machine.set(path, lookAt(path));
    const found = machine.get(path);
    if (found !== undefined) this.set(found.path, access, found.isDirectory);
  }

  /** Adds a path whose links were resolved before: a link in it now is somebody else's doing. */
  addPinned(path: string, access: Access): void {
    const found = lookAt(path);
    if (found === undefined) throw new SandboxError(`'${path}' of the sandbox is not there`);
    if (found.path !== path) {
      throw new SandboxError(`'${path}' of the sandbox leads to '${found.path}' since the start`);
    }
    this.set(path, access, found.isDirectory);
  }

  /** Adds a folder of the system, as a link where it is one. */
  addSystem(path: string): void {
    const found = lookAt(path);
    if (found === undefined) return;
    if (found.path === path) return this.set(path, "read");
    this.#seen.set(path, { path, access: "read", isDirectory: true, link: found.path });
  }

  /** Parents first, without what changes nothing. */
  ordered(): readonly SeenPath[] {
    const all = [...this.#seen.values()].toSorted((a, b) => depthOf(a.path) - depthOf(b.path));
    return all.filter((seen) => {
      const above = this.#above(seen.path);
      if (above === undefined) return true;
      // What is not seen need not be hidden; a link is no mount
      if (seen.access === "hidden") return above !== "hidden" && above !== "private";
      // A file that is a mount cannot be replaced, as programs do that write one
      if (seen.access === "write" && above === "write") return seen.isDirectory;
      return seen.access !== "read" || above !== "read" || seen.link !== undefined;
    });
  }

  /** The access of the nearest folder above `path`. */
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

/** Where `path` leads; nothing if nothing is there. @throws {SandboxError} without permission to look */
function lookAt(
  path: string,
): { readonly path: string; readonly isDirectory: boolean } | undefined {
  try {
    const real = Deno.realPathSync(systemPath(path));
    const { isDirectory, isFile, isSocket } = Deno.statSync(systemPath(real));
    return isDirectory || isFile || isSocket ? { path: real, isDirectory } : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) {
      throw new SandboxError(
        `this server may not look at '${path}': start it with --allow-read=${path}`,
      );
    }
    // A folder on the way that this user may not enter is closed to the program too
    return undefined;
  }
}
