/** Lists the paths that decide what climax does now or at its next start, so that sandboxes can protect them. */

import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { io, systemPath } from "../io.ts";
import { buildForm } from "./build_info.ts";
import { denoFolder, ownFolder, realPathOf, statOf } from "./folders.ts";

type ProtectedAccess = "read" | "hidden";

const accesses = new Map<string, ProtectedAccess>();

const unread = new Map<string, Set<string>>();

const opened = new Set<string>();

/** Prevents programs in sandboxes from changing the file at `path`. Returns `path`. */
export function protect(path: string, access: ProtectedAccess = "read"): string {
  opened.add(keep(path, access));
  return path;
}

function keep(path: string, access: ProtectedAccess): string {
  // Without a folder to start from, `resolve` would load the module `process` of Node.js, which takes long
  const absolute = resolve(ownFolder(), systemPath(path));
  if (accesses.get(absolute) !== "hidden") accesses.set(absolute, access);
  return absolute;
}

export function pathsToRefuse(mayChange: boolean): readonly string[] {
  return [...opened].filter((path) => mayChange || accesses.get(path) === "hidden")
    .map((path) => realPathOf(path) ?? path);
}

export function protectCommand(words: Iterable<string>, cwd = ".", run = /^/): void {
  const names = Array.from(words, (word) => word.replace(/^-[^=/]*=/, ""));
  for (const word of names) {
    const path = resolve(ownFolder(), systemPath(cwd), word);
    // A word without a dot or slash is a name that is looked for on PATH
    const { isFile, mode } = /[./]/.test(word) && statOf(path) || {};
    if (isFile && (run.test(path) || ((mode ?? 0) & 0o111) !== 0)) protect(path);
  }
  const known = unread.getOrInsertComputed(resolve(ownFolder(), systemPath(cwd)), () => new Set());
  for (const word of names) known.add(word);
}

export function listProtectedPaths(): ReadonlyMap<string, ProtectedAccess> {
  for (const [folder, words] of unread) {
    const paths = words.values().map((word) => resolve(folder, word));
    for (const path of paths) if (statOf(path)?.isFile) keep(path, "read");
  }
  unread.clear();
  try {
    for (const path of ownCode()) keep(path, "read");
  } catch {
    // A climax with few permissions may not know where its own code lies, and then does not protect it
  }
  return accesses;
}

export function protectLibraries(): void {
  const folder = buildForm() === "binary" ? undefined : denoFolder();
  if (folder !== undefined) protect(folder);
}

function ownCode(): readonly string[] {
  if (buildForm() === "binary") return [Deno.execPath()];
  const main = fileURLToPath(io().mainModule);
  const names = buildForm() === "source" ? ["src", "configs", "deno.json", "deno.lock"] : [];
  return [Deno.execPath(), main, ...names.map((name) => join(dirname(main), name))];
}

const named = new Set<string>();

export function holdInPlace(
  { write, read }: { readonly write: readonly string[]; readonly read: readonly string[] },
): void {
  for (const path of [...write, ...read]) if (path !== "/") named.add(path);
  for (const path of write) written.add(path);
}

const written = new Set<string>();

/** Names of files and folders by which git, and launchers such as mise, decide which programs to run. */
export const leadingNames: readonly string[] = [
  ...[".git", ".tool-versions", "mise.toml", ".mise.toml", "mise.local.toml", ".mise.local.toml"],
  ".mise",
];

const openings = new Map<object, readonly [readonly string[], Promise<void> | undefined]>();

/** Records the paths that a program in a sandbox may create, until `ended` resolves. */
export function recordOpening(sandbox: object, paths: readonly string[], ended?: Promise<void>) {
  openings.set(sandbox, [paths, ended]);
  void ended?.then(() => openings.delete(sandbox));
}

export async function openingsEnded(): Promise<void> {
  await Promise.all(openings.values().map(([, ended]) => ended));
}

/** Returns a path above `cwd` that could lead `program` to other programs, if a sandbox may have written that path. */
export function findUntrusted(cwd: string, program: string): string | undefined {
  if (written.size === 0) return undefined;
  const own = realPathOf(ownFolder()) ?? ownFolder();
  const isBelow = (folder: string) => {
    return !written.has(folder) && !`${own}/`.startsWith(`${folder}/`) &&
      [...written].some((top) => folder.startsWith(top === "/" ? top : `${top}/`));
  };
  const open = [...openings.values()].flatMap(([paths]) => paths);
  for (let folder = realPathOf(cwd) ?? cwd;; folder = dirname(folder)) {
    const names = isGitFolder(folder) ? [...leadingNames, ...gitFolderNames] : leadingNames;
    const paths = names.map((name) => join(folder, name));
    const inGit = open.filter((path) => path.startsWith(`${paths[0]}/`));
    if (basename(program) === "git") {
      // If a program in a sandbox may write a `.git`, git must not run without a sandbox, even before the `.git` exists
      const led = written.values().find((path) => `${path}/`.startsWith(`${paths[0]}/`)) ??
        inGit[0];
      if (led !== undefined) return led;
    }
    const leading = isBelow(folder) ? paths : paths.filter((path) => open.includes(path));
    const found = [...leading, ...inGit].find((path) => isThere(path) && !isSubmodule(path, own));
    if (found !== undefined || folder === dirname(folder)) return found;
  }
}

/** Returns whether `path` is the `.git` file of a submodule that no program in a sandbox can have changed. */
function isSubmodule(path: string, own: string): boolean {
  if (openings.size > 0 || basename(path) !== ".git") return false;
  const { isFile = false, size = 0 } = statOf(path) ?? {};
  const text = isFile && size < 4096 ? Deno.readTextFileSync(systemPath(path)) : "";
  const to = realPathOf(resolve(dirname(path), /^gitdir: (.+)/.exec(text)?.[1] ?? "."));
  return [own, ...written].some((top) => to?.startsWith(join(top, ".git", "modules", "/")));
}

/** Names in a folder by which git takes the folder for a repository or for that of a linked working tree. */
export const gitFolderNames: readonly string[] = ["HEAD", "objects", "refs", "commondir"];

/** Returns whether git accepts a folder as a repository, by its content and not by its name. */
export function isGitFolder(folder: string): boolean {
  const [head, objects, refs, common] = gitFolderNames.map((name) => isThere(join(folder, name)));
  return head! && (objects! && refs! || common!);
}

export function hasSandboxes(): boolean {
  return written.size > 0;
}

/** Returns false if nothing exists at `path`, and true if that cannot be known. */
export function isThere(path: string): boolean {
  try {
    return Deno.lstatSync(systemPath(path)) !== undefined;
  } catch (error) {
    return !(error instanceof Deno.errors.NotFound);
  }
}

export function pathsInUse(): Iterable<string> {
  return named;
}
