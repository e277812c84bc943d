/** Decides which files a program in a sandbox sees: the nearest rule above a path counts. */

import { basename, dirname, join } from "node:path";
import type { Problem } from "../errors.ts";
import { Folders, linkAt, lookAt, SandboxError } from "./_found_paths.ts";
import { FileRules, type SeenPath } from "./_file_rules.ts";
import { optionalVariable, systemPath } from "../io.ts";
import {
  gitFolderNames,
  isGitFolder,
  isThere,
  listProtectedPaths,
  pathsInUse,
} from "../process/protected_paths.ts";
import { contains, ownFolder, ownFolders, personalHomes, realPathOf } from "../process/folders.ts";
import {
  privateInHome,
  privateOnMachine,
  protectedInGit,
  protectedNames,
  publicInHome,
  publicInRun,
  resolverInRun,
  socketVariables,
  systemFolders,
} from "./private_paths.ts";

export interface Sandbox {
  /** Files and directories that the program may write, as absolute paths without links. */
  readonly write: readonly string[];
  /** Paths that the program may read, beside the system's folders and `write`; `/` for all that is not hidden. */
  readonly read: readonly string[];
  /** The person's git settings, which the program may read; each may be a link, and missing ones are skipped. */
  readonly settings?: readonly string[];
  /** Paths that the program does not see, beside those of the lists in `private_paths.ts`. */
  readonly hide: readonly string[];
  readonly network: "none" | "host";
  /** Protected paths that the program may create; absent: none. */
  readonly creates?: readonly string[];
  /** Repositories of submodules in the writable folders; absent: git is asked for them. */
  readonly submodules?: readonly string[];
  /** Variables that the program may inherit beside `basicVariables`; absent: those of its config. */
  readonly env?: readonly string[];
  /** Keys that neither policy nor person has set: for these, a bundled config may ask for more rights. */
  readonly unsetKeys?: readonly ("write" | "read" | "env" | "network")[];
}

/** A protected path that no mount can protect: it is missing, or a link that a program could replace. */
export interface OpenName {
  readonly path: string;
  readonly link?: string | undefined;
  /** True if no program in the sandbox can move the folder that contains `path`. */
  readonly isPinned: boolean;
  readonly known?: ReadonlySet<string>;
  /** True for a name such as HEAD, which makes its folder a repository only together with other names. */
  readonly isPart?: boolean;
  /** True for a folder above a protected path: a program could make a link in its place, which would lead elsewhere. */
  readonly isOnWay?: boolean;
}

export interface SandboxView {
  readonly seen: readonly SeenPath[];
  readonly open: readonly OpenName[];
}

function viewOfMachine(sandbox: Sandbox, folders: Folders): FileRules {
  const view = new FileRules();
  const sees = sandbox.read.includes("/");
  view.set("/", sees ? "read" : "hidden");
  if (!sees) systemFolders.forEach((path) => view.addSystem(path));
  view.addOfMachine("/tmp", "private");
  for (const path of privateOnMachine) view.addOfMachine(path, "hidden");
  for (const path of privatePaths(sandbox)) if (folders.has(path)) view.add(path, "hidden");
  return view;
}

/** Returns whether programs in `sandbox` may read `path`, which is absolute and without links. */
export function canBeSeen(sandbox: Sandbox, path: string): boolean {
  const view = viewOfMachine(sandbox, new Folders());
  for (const each of [...sandbox.read, ...sandbox.write]) if (each !== "/") view.set(each, "read");
  for (const each of sandbox.hide) view.set(each, "hidden");
  return view.isReadable(path);
}

/** Returns the paths that a program in `sandbox` sees, and the names to check after its end. @throws {SandboxError} */
export function viewOf(sandbox: Sandbox, cwd: string): SandboxView {
  const folders = new Folders();
  const view = viewOfMachine(sandbox, folders);
  const inRun = sandbox.network === "host" ? [...publicInRun, ...resolverInRun] : publicInRun;
  for (const path of inRun) view.addOfMachine(path, "read");
  for (const path of sandbox.read) if (path !== "/") view.addPinned(path, "read");
  for (const path of sandbox.settings ?? []) view.addNamed(path);
  for (const path of sandbox.write) view.addPinned(path, "write");
  const realCwd = realPathOf(cwd) ?? cwd;
  const { kept, missing } = closeProtected(view);
  const hidden = namesOfHome(sandbox);
  const guarded = [...findProtectedPaths(sandbox, realCwd), ...hidden.paths];
  const existing = guarded.filter((path) => folders.has(path));
  const parts = foldersToGuard(sandbox, realCwd).filter((folder) => !isRepository(folder))
    .flatMap((folder) => gitFolderNames.map((name) => join(folder, name)))
    .filter((path) => !folders.has(path));
  for (const path of existing) view.protect(path);
  for (const path of sandbox.hide) view.add(path, "hidden");
  const made = missing.map(({ path }) => path).filter((path) => isThere(dirname(path)));
  view.pin([...sandbox.read, ...kept, ...made, ...existing]);
  view.pinNamed(pathsInUse());
  if (!view.has(realCwd)) {
    throw new SandboxError(
      `the working directory '${cwd}' is hidden in the sandbox: name it in 'read' or 'write'`,
    );
  }
  const known = new Set(guarded);
  const links = existing.map((path) => ({ path, link: linkAt(path) }));
  const open = [
    ...guarded.filter((path) => !folders.has(path)).map((path) => ({ path })),
    ...links.filter(({ link }) => link !== undefined),
    ...parts.map((path) => ({ path, isPart: true })),
    ...hidden.open,
    ...missing.filter(({ path }) => !known.has(path)),
  ].map((name) => ({ ...name, isPinned: isTop(dirname(name.path), sandbox.write) }));
  return { seen: view.order(), open };
}

/** Protects the hidden names of a writable home folder that `write` does not name: start files and settings. */
function namesOfHome(sandbox: Sandbox) {
  const homes = new Set(personalHomes().flatMap((home) => realPathOf(home) ?? []));
  const written = [...homes].filter((home) => sandbox.write.some((path) => contains(path, home)));
  const all = written.filter((home) => home !== "/").map((home) => namesIn(home, sandbox));
  return { paths: all.flatMap(({ paths }) => paths), open: all.flatMap(({ open }) => open) };
}

function namesIn(home: string, { write, creates = [] }: Sandbox) {
  const named = new Set([...write, ...creates].filter((path) => dirname(path) === home));
  const names = listHiddenNames(home);
  if (names === undefined) {
    const why = "cannot be listed, or has too many names";
    throw new SandboxError(
      `'${home}', in which it may write, ${why}: serve a folder in it instead`,
    );
  }
  const paths = names.map((name) => join(home, name)).filter((path) => !named.has(path));
  const known = new Set([...named, ...paths].map((path) => basename(path)));
  return { paths, open: [{ path: join(home, ".*"), known }] };
}

/** A folder whose listing has more than this many bytes has tens of thousands of names: too many to look through. */
const homeBytes = 1 << 20;

export function listHiddenNames(folder: string): readonly string[] | undefined {
  try {
    if (Deno.statSync(systemPath(folder)).size > homeBytes) return undefined;
    return [...Deno.readDirSync(systemPath(folder))].map(({ name }) => name)
      .filter((name) => name.startsWith("."));
  } catch {
    return undefined;
  }
}

/** Makes the protected paths read-only or hidden, if programs could change them. @throws {SandboxError} */
function closeProtected(view: FileRules) {
  const kept: string[] = [];
  const missing: Omit<OpenName, "isPinned">[] = [];
  for (const [path, access] of listProtectedPaths()) {
    const found = lookAtProtected(path, view);
    const link = found?.path === path ? undefined : linkOnWay(path, view);
    if (link !== undefined) {
      throw new SandboxError(
        `climax follows '${path}', and '${link}' is a link where programs in it may write: name the target instead`,
      );
    }
    if (found !== undefined && (access === "hidden" || view.isWritable(found.path))) {
      view.set(found.path, access, found.isDirectory);
      kept.push(found.path);
    }
    if (found === undefined && access === "read") missing.push(...missingOf(path, view));
  }
  return { kept, missing };
}

function missingOf(path: string, view: FileRules): readonly Omit<OpenName, "isPinned">[] {
  const names: string[] = [];
  let folder = path;
  for (; realPathOf(folder) === undefined && folder !== dirname(folder); folder = dirname(folder)) {
    names.unshift(basename(folder));
  }
  const real = realPathOf(folder);
  if (real === undefined || names.length === 0 || !view.isWritable(join(real, names[0]!))) {
    return [];
  }
  return names.map((_, at) => {
    const each = { path: join(real, ...names.slice(0, at + 1)) };
    return at === names.length - 1 ? each : { ...each, isOnWay: true };
  });
}

function lookAtProtected(path: string, view: FileRules) {
  try {
    return lookAt(path);
  } catch (error) {
    if (view.isWritable(path)) throw error;
    return undefined;
  }
}

function linkOnWay(path: string, view: FileRules): string | undefined {
  const folder = dirname(path);
  if (folder === path) return undefined;
  const at = join(realPathOf(folder) ?? folder, basename(path));
  if (view.isWritable(at) && linkAt(at) !== undefined) return at;
  return linkOnWay(folder, view);
}

function privatePaths({ write }: Sandbox): readonly string[] {
  const homes = personalHomes();
  const hidden = homes.filter((home) => {
    const real = realPathOf(home) ?? home;
    return !write.some((path) => contains(path, real));
  }).flatMap((home) => {
    const names = listHiddenNames(home) ?? [];
    return names.filter((name) => !publicInHome.has(name)).map((name) => join(home, name));
  });
  return [
    ...homes.flatMap((home) => privateInHome.map((name) => join(home, name))),
    ...hidden,
    ...ownFolders(),
    ...socketVariables.flatMap((name) => socketPath(optionalVariable(name) ?? "")),
  ];
}

function socketPath(value: string): readonly string[] {
  const path = /^(?:unix:(?:path=|\/\/)?)?(\/[^,;]*)/.exec(value)?.[1];
  return path === undefined || /^\/*$/.test(path) ? [] : [path];
}

export function foldersToGuard({ write }: Pick<Sandbox, "write">, cwd: string): readonly string[] {
  const folders = new Set(write);
  // The call may start below the served folder, where other calls start, so both folders count
  for (const from of [cwd, realPathOf(ownFolder()) ?? ownFolder()]) {
    for (
      let folder = from;
      write.some((path) => contains(path, folder));
      folder = dirname(folder)
    ) {
      folders.add(folder);
      if (folder === dirname(folder)) break;
    }
  }
  return [...folders];
}

function isRepository(folder: string): boolean {
  return basename(folder) === ".git" || isGitFolder(folder);
}

/** Returns the protected paths in writable folders, without those that `write` or `creates` opens by their name. */
function findProtectedPaths(sandbox: Sandbox, cwd: string): readonly string[] {
  const { write, creates = [], submodules = [] } = sandbox;
  const named = new Set([...write, ...creates]);
  const paths = foldersToGuard(sandbox, cwd).flatMap((folder) => {
    const names = isRepository(folder) ? protectedInGit : protectedNames;
    return names.map((name) => join(folder, name));
  });
  return [...paths, ...submodules].filter((path) => !named.has(path));
}

function isTop(folder: string, all: readonly string[]): boolean {
  return all.includes(folder) &&
    (!all.some((other) => other !== folder && contains(other, folder)) ||
      isTop(dirname(folder), all));
}

export type Support =
  | {
    readonly ok: true;
    readonly kind: "bubblewrap" | "seatbelt";
    readonly name: string;
    /** The words that start a sandbox, before its options; the last is the path of bubblewrap or `sandbox-exec`. */
    readonly launcher: readonly [string, ...string[]];
  }
  | { readonly ok: false; readonly problem: Problem };

export function noSupport(reason: string, hint: string): Support {
  const message = `A sandbox cannot be made: ${reason.split("\n")[0]}`;
  return { ok: false, problem: { message, hint } };
}
