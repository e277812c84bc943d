/** Examines a repository by asking git, because an agent may have written names there that lead git elsewhere. */

import { isAbsolute, join, relative, resolve } from "node:path";
import { yieldToEventLoop } from "../async/deadline.ts";
import { systemPath } from "../io.ts";
import { isThere } from "../process/protected_paths.ts";
import { contains, realPathOf } from "../process/folders.ts";
import type { ProgramOutput } from "./ask_program.ts";
import { privatePart } from "./private_paths.ts";

export type AskGit = (
  args: readonly string[],
  cwd: string,
  options?: { readonly env?: Readonly<Record<string, string>>; readonly stdin?: string },
) => Promise<ProgramOutput>;

export class RepositoryError extends Error {}

export interface Repository {
  /** The top folder of the working tree. Like the other paths, it is absolute, and its links are resolved. */
  readonly top: string;
  /** The `.git` of this working tree. If the tree is linked or a submodule, its `.git` lies elsewhere. */
  readonly gitFolder: string;
  readonly commonFolder: string;
}

/** Returns the repository that git finds from `cwd`, if it has a working tree. @throws {RepositoryError} */
export async function findRepository(
  ask: AskGit,
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Repository | undefined> {
  const words = ["rev-parse", "--show-toplevel", "--git-dir", "--git-common-dir"];
  const { ok, code, stdout, complaint } = await ask(words, cwd, { env });
  if (code === undefined) throw new RepositoryError(`git does not answer: ${complaint}`);
  const lines = stdout.split(/\r?\n/);
  // A git that prints fewer than three lines is another program of this name
  if (!ok || lines.length < 3) return undefined;
  const paths = lines.map((path) => realPathOf(resolve(cwd, path)));
  const [top, gitFolder, commonFolder] = paths;
  if (paths.length > 3 || !top || !gitFolder || !commonFolder) {
    throw new RepositoryError("the repository has a path with a line feed, or that leads nowhere");
  }
  return { top, gitFolder, commonFolder };
}

// An entry is a line of `git ls-files --stage` or `git ls-tree`, which begins with 160000 for a submodule
export const isSubmodule = (entry: string) => entry.startsWith("160000 ");
export const pathOf = (entry: string) => entry.slice(entry.indexOf("\t") + 1);

async function entriesOf(ask: AskGit, top: string): Promise<readonly string[]> {
  const answer = ask(["ls-files", "--stage", "-z"], top, { env: ceilingOf(top) });
  return (await requireOutput(`read its index in '${top}'`, answer)).split("\0").slice(0, -1);
}

/** @throws {RepositoryError} if git cannot do `what` */
export async function requireOutput(what: string, answer: ReturnType<AskGit>): Promise<string> {
  const { ok, stdout, complaint } = await answer;
  if (!ok) throw new RepositoryError(`git cannot ${what}: ${complaint}`);
  return stdout;
}

/** Calls `use` for each item, and lets other work run after every 1,000 items, which take 10 ms at most. */
export async function forEach(
  items: readonly string[],
  use: (item: string) => void,
): Promise<void> {
  for (let at = 0; at < items.length; at += 1000) {
    items.slice(at, at + 1000).forEach(use);
    await yieldToEventLoop();
  }
}

export function ceilingOf(folder: string): Readonly<Record<string, string>> {
  return { GIT_CEILING_DIRECTORIES: resolve(folder, "..") };
}

/** Returns the `.git` of all submodules below `top`, even if missing, and of their submodules. @throws {RepositoryError} */
export async function submodulesOf(ask: AskGit, top: string): Promise<readonly string[]> {
  const entries = await entriesOf(ask, top).catch(async (error) => {
    if (await findRepository(ask, top, ceilingOf(top)) !== undefined) throw error;
    return [];
  });
  return await submodulesIn(ask, top, entries);
}

async function submodulesIn(
  ask: AskGit,
  top: string,
  entries: readonly string[],
): Promise<readonly string[]> {
  const paths = entries.filter(isSubmodule).map(pathOf).filter((path) => !isBadName(path));
  const found = await Promise.all([...new Set(paths)].map(async (path) => {
    const folder = join(top, path);
    const own = join(folder, ".git");
    // If a link has taken the place of a submodule's folder, the repository behind it is not the submodule
    if ((realPathOf(folder) ?? folder) !== folder) return [];
    return [own, ...isThere(own) ? await submodulesOf(ask, folder) : []];
  }));
  return found.flat();
}

export interface IndexFindings {
  readonly submodules: () => Promise<readonly string[]>;
  /** The paths in the index that have names of credentials, relative to the top of the working tree. */
  readonly credentials: readonly string[];
  readonly tracks: (path: string) => boolean;
}

/** @throws {RepositoryError} if a name in the index may lead out of the working tree, into `.git` or to credentials */
export async function examineIndex(
  ask: AskGit,
  { top }: Repository,
  { hidden = [], reads = false }: { hidden?: readonly string[]; reads?: boolean } = {},
): Promise<IndexFindings> {
  const entries = await entriesOf(ask, top);
  const folders = new Set<string>();
  const credentials = new Set<string>();
  const paths = entries.map(pathOf);
  await forEach(paths, (path) => {
    if (isBadName(path)) throw new RepositoryError(badName(path));
    const part = privatePart(path) ?? (hidden.includes(join(top, path)) ? path : undefined);
    if (part !== undefined) credentials.add(part);
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const folder = path.slice(0, end);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  });
  await forEach([...folders], (folder) => {
    const reason = linkReason(top, folder, reads);
    if (reason !== undefined) throw new RepositoryError(reason);
  });
  const tracked = new Set(paths);
  return {
    submodules: () => submodulesIn(ask, top, entries),
    credentials: [...credentials],
    tracks: (path) => tracked.has(path) || folders.has(path),
  };
}

function linkReason(top: string, folder: string, reads: boolean): string | undefined {
  // Deno cannot open a name that is not UTF-8, so nobody knows whether the folder is a link
  if (folder.includes("\ufffd")) {
    return reads
      ? `git tracks '${folder}', whose name is no UTF-8, so that nothing tells whether it is a link\n` +
        "Search what is staged (cached), or give the folder another name"
      : undefined;
  }
  if (!isLink(join(top, folder))) return undefined;
  const real = realPathOf(join(top, folder));
  if (real === undefined) return undefined;
  if (contains(top, real) && privatePart(relative(top, real)) === undefined) return undefined;
  return `git tracks files in '${folder}', and that is a link to '${real}': git would read and write there\n` +
    "Ask a person to put the folder back in its place, or to take those files out of the index with git rm --cached";
}

function isLink(path: string): boolean {
  try {
    return Deno.lstatSync(systemPath(path)).isSymlink;
  } catch {
    return false;
  }
}

function badName(path: string): string {
  const name = JSON.stringify(path);
  return `the index of git has the name ${name}, which git would follow out of the working tree ` +
    "or into its own files: some program has written it there\n" +
    "Ask a person to look at it: git ls-files lists the names, and git reset makes another index";
}

export async function findBadName(ask: AskGit, top: string): Promise<string | undefined> {
  return (await entriesOf(ask, top)).map(pathOf).find(isBadName);
}

const badParts =
  /^\/|(?:^|\/)\.{0,2}(?:\/|$)|(?:^|[\\/])(?:\.git|git~1)[. ]*(?::[^\\/]*)?(?:[\\/]|$)/i;

export function isBadName(path: string): boolean {
  if (badParts.test(path) || isAbsolute(path)) return true;
  // The file system HFS+ ignores these invisible characters, so a name with some of them may mean `.git`
  return badParts.test(path.replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, ""));
}

export function exclusionOf(path: string): string {
  if (!path.includes("\ufffd")) return `:(exclude,top,literal)${path}`;
  return `:(exclude,top,glob)${path.replace(/[\\*?[\]]/g, "\\$&").replaceAll("\ufffd", "*")}`;
}

export function credentialsAmong(names: string): readonly string[] {
  return [...new Set(names.split("\0").filter((name) => privatePart(name) !== undefined))];
}

/** Returns the paths of git's settings of the person and the machine, without those of the repository. */
export async function settingsOf(ask: AskGit, cwd: string, home: string): Promise<string[]> {
  const words = ["config", "--list", "--show-origin", "--show-scope", "-z"];
  const { ok, stdout } = await ask(words, cwd);
  const names = ["config", "ignore", "attributes"].map((name) => `.config/git/${name}`);
  const usual = [".gitconfig", ...names].map((name) => join(home, name));
  if (!ok) return usual;
  const found = new Set(usual);
  const parts = stdout.split("\0");
  for (let at = 0; at + 2 < parts.length; at += 3) {
    const [scope, origin, entry] = [parts[at]!, parts[at + 1]!, parts[at + 2]!];
    if (scope !== "global" && scope !== "system") continue;
    if (origin.startsWith("file:/")) found.add(origin.slice("file:".length));
    const [, value] = /^core\.(?:excludesfile|attributesfile)\n(.*)$/s.exec(entry) ?? [];
    if (value !== undefined) found.add(resolve(home, value.replace(/^~(?=\/)/, home)));
  }
  return [...found];
}

/** Returns whether the repository of a linked working tree or a submodule names `top` as its own. */
export async function isMutual(ask: AskGit, { top, gitFolder }: Repository): Promise<boolean> {
  const configured = await ask(["config", "--get", "core.worktree"], top);
  if (configured.ok) return realPathOf(resolve(gitFolder, configured.stdout)) === top;
  const { stdout } = await ask(["worktree", "list", "--porcelain"], top);
  const all = stdout.matchAll(/(?<![^\n])worktree ([^\n]+)/g);
  return all.some(([, path]) => realPathOf(path!) === top);
}

interface FilesToLose {
  readonly paths: readonly string[];
  readonly cwd: string;
  readonly kind: "files" | "staged";
}

/** Returns a sentence about the first content that git could not restore, if any. Without git, `ask` is absent. */
export async function findUnsaved(
  ask: AskGit | undefined,
  { paths, cwd, kind }: FilesToLose,
): Promise<string | undefined> {
  const isStaged = kind === "staged";
  // git expands patterns such as `*.ts`, so a path with their characters counts as existing
  const own = isStaged ? paths : paths.filter((path) => isThere(path) || /[*?[\\]/.test(path));
  if (!isStaged && own.length === 0) return paths.length === 0 ? "all may be lost" : undefined;
  // With `./` in front, git takes a path that begins with a colon for a path
  const words = ["--", ...own.map((path) => `./${relative(cwd, path)}`)];
  const untracked = `--untracked-files=${own.every(isThere) ? "normal" : "all"}`;
  const status = ["status", "--porcelain=v1", "-z", "--no-renames", "--ignored", untracked];
  const [changes, tracked] = await Promise.all([
    ask?.([...status, "--ignore-submodules=none", ...words], cwd),
    ask?.(["ls-files", "--error-unmatch", "--stage", "-v", "-z", ...words], cwd),
  ]);
  if (!changes?.ok || !tracked?.ok) return "git does not have all of it";
  // A file in conflict counts as saved, because the index has both sides
  const told = isStaged ? /(?<=^|\0)[^ ?!]{2} [^\0]+/ : /(?<=^|\0)(?!(?:U.|.U|AA|DD) )[^\0]+/;
  const [change] = told.exec(changes.stdout) ?? [];
  if (change !== undefined) return `git has no copy of ${JSON.stringify(change.slice(3))} as it is`;
  // Submodules, and files that git was told not to look at, count as not saved: git does not say if they have changed
  const isUnseen = !isStaged && !/^(?:[HM] 1[02][^\0]*\0?)*$/.test(tracked.stdout);
  return isUnseen ? "git does not look at all of it" : undefined;
}
