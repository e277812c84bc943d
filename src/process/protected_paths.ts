/**
 * The paths that decide what this process, or its next start, does. Each is named where it is opened, and no program in a
 * sandbox changes what is there (`exec/sandbox_view.ts`). `docs/security.md` has the table, which
 * `tests/architecture_test.ts` compares with the code.
 */

import { basename, dirname, join, resolve } from "node:path";
import { io, pathOfUrl, systemPath } from "../io.ts";
import { buildForm } from "./build_info.ts";
import { ownFolder, realPathOf, statOf } from "./folders.ts";

/** A program in a sandbox may read it, or does not see it. */
type ProtectedAccess = "read" | "hidden";

const accesses = new Map<string, ProtectedAccess>();

/** Words by folder that are protected if they are files. No sandbox has begun since: a program in one could change that. */
const unread = new Map<string, Set<string>>();

/** What this process opens itself, neither its own code nor that of programs. */
const opened = new Set<string>();

/** Keeps programs in sandboxes from changing what is at `path`. Returns `path`. */
export function protect(path: string, access: ProtectedAccess = "read"): string {
  opened.add(keep(path, access));
  return path;
}

function keep(path: string, access: ProtectedAccess): string {
  // Without a folder, it would load `process` of Node.js, which takes longer than all else here
  const absolute = resolve(ownFolder(), systemPath(path));
  if (accesses.get(absolute) !== "hidden") accesses.set(absolute, access);
  return absolute;
}

/** What no path of a call may lead to, links resolved; what is not hidden only where the call may change it. */
export function pathsToRefuse(mayChange: boolean): readonly string[] {
  return [...opened].filter((path) => mayChange || accesses.get(path) === "hidden")
    .map((path) => realPathOf(path) ?? path);
}

/**
 * Does so for those of `words`, of command lines that start in `cwd`, that are files when the list is first read; no
 * path of a call that may change it leads to a program in them, or to another file whose path fits `run`.
 */
export function protectCommand(words: Iterable<string>, cwd = ".", run = /^/): void {
  // An option may name its file in the same word
  const names = Array.from(words, (word) => word.replace(/^-[^=/]*=/, ""));
  for (const word of names) {
    const path = resolve(ownFolder(), systemPath(cwd), word);
    // A bare name is looked for on PATH
    const { isFile, mode } = /[./]/.test(word) && statOf(path) || {};
    if (isFile && (run.test(path) || ((mode ?? 0) & 0o111) !== 0)) protect(path);
  }
  const known = unread.getOrInsertComputed(resolve(ownFolder(), systemPath(cwd)), () => new Set());
  for (const word of names) known.add(word);
}

/** Absolute paths, links not resolved. */
export function listProtectedPaths(): ReadonlyMap<string, ProtectedAccess> {
  for (const [folder, words] of unread) {
    const paths = words.values().map((word) => resolve(folder, word));
    for (const path of paths) if (statOf(path)?.isFile) keep(path, "read");
  }
  unread.clear();
  try {
    for (const path of ownCode()) keep(path, "read");
  } catch {
    // A server with few permissions may not know where its code lies
  }
  return accesses;
}

/** The files of this program, some of which it loads late. */
function ownCode(): readonly string[] {
  if (buildForm() === "binary") return [Deno.execPath()];
  const main = pathOfUrl(io().mainModule);
  const names = buildForm() === "source" ? ["src", "configs", "deno.json", "deno.lock"] : [];
  return [Deno.execPath(), main, ...names.map((name) => join(dirname(main), name))];
}

const named = new Set<string>();

/** Has all sandboxes that are made from now on keep the paths of this one in their places. */
export function holdInPlace(
  { write, read }: { readonly write: readonly string[]; readonly read: readonly string[] },
): void {
  for (const path of [...write, ...read]) if (path !== "/") named.add(path);
  for (const path of write) written.add(path);
}

const written = new Set<string>();

/** What leads git and launchers to programs. */
export const leadingNames: readonly string[] = [
  ...[".git", ".tool-versions", "mise.toml", ".mise.toml", "mise.local.toml", ".mise.local.toml"],
  ".mise",
];

/** The paths that the program in a sandbox may create, and its end. */
const openings = new Map<object, readonly [readonly string[], Promise<void> | undefined]>();

/** Records what the program in a sandbox may create, until it has `ended`, which is given when its call is over. */
export function recordOpening(sandbox: object, paths: readonly string[], ended?: Promise<void>) {
  openings.set(sandbox, [paths, ended]);
  void ended?.then(() => openings.delete(sandbox));
}

/** Resolves when no call that is over can create anything any more. */
export async function openingsEnded(): Promise<void> {
  await Promise.all(openings.values().map(([, ended]) => ended));
}

/** What leads `program` elsewhere in `cwd` or above, if programs in a sandbox may write it: none protects it there. */
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
      // A program can make and remove what leads git many times a second
      const led = written.values().find((path) => `${path}/`.startsWith(`${paths[0]}/`)) ??
        inGit[0];
      if (led !== undefined) return led;
    }
    const leading = isBelow(folder) ? paths : paths.filter((path) => open.includes(path));
    const found = [...leading, ...inGit].find((path) => isThere(path) && !isSubmodule(path, own));
    if (found !== undefined || folder === dirname(folder)) return found;
  }
}

/** True for the file of a submodule, while no program in a sandbox could change it, whose repository none may change. */
function isSubmodule(path: string, own: string): boolean {
  if (openings.size > 0 || basename(path) !== ".git") return false;
  const { isFile = false, size = 0 } = statOf(path) ?? {};
  const text = isFile && size < 4096 ? Deno.readTextFileSync(systemPath(path)) : "";
  const to = realPathOf(resolve(dirname(path), /^gitdir: (.+)/.exec(text)?.[1] ?? "."));
  return [own, ...written].some((top) => to?.startsWith(join(top, ".git", "modules", "/")));
}

/** What a folder has that git takes for a repository, or for that of a linked working tree. */
export const gitFolderNames: readonly string[] = ["HEAD", "objects", "refs", "commondir"];

/** True for a folder that git takes for a repository, whatever its name is. */
export function isGitFolder(folder: string): boolean {
  const [head, objects, refs, common] = gitFolderNames.map((name) => isThere(join(folder, name)));
  return head! && (objects! && refs! || common!);
}

/** True if sandboxes hold programs. */
export function hasSandboxes(): boolean {
  return written.size > 0;
}

/** False only if nothing is at `path`. */
export function isThere(path: string): boolean {
  try {
    return Deno.lstatSync(systemPath(path)) !== undefined;
  } catch (error) {
    return !(error instanceof Deno.errors.NotFound);
  }
}

/** Absolute paths, links resolved. */
export function pathsInUse(): Iterable<string> {
  return named;
}
