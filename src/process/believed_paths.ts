/**
 * The paths that decide what this process does: what it reads again later, follows, starts or writes. Each is named where
 * it is opened, and sandboxes keep what they hold from all of them (`exec/sandbox_view.ts`). `docs/security.md` has the
 * table, which `tests/architecture_test.ts` compares with the code.
 */

import { dirname, join, resolve } from "node:path";
import { io, pathOfUrl, systemPath } from "../io.ts";
import { buildForm, partsFolder } from "./build_info.ts";
import { ownFolder, realPathOf, statOf } from "./folders.ts";

/** A program in a sandbox may read it, or does not see it. */
type BelievedAccess = "read" | "hidden";

const believed = new Map<string, BelievedAccess>();

/** Words by folder that are believed if they are files. No sandbox has begun since: a program in one could change that. */
const unread = new Map<string, Set<string>>();

/** Keeps programs in sandboxes from changing `path`, which need not be there yet. Returns `path`. */
export function believe(path: string, access: BelievedAccess = "read"): string {
  // Without a folder, it would load `process` of Node.js, which takes longer than all else here
  const absolute = resolve(ownFolder(), systemPath(path));
  if (believed.get(absolute) !== "hidden") believed.set(absolute, access);
  return path;
}

/** Does so for those of `words`, of command lines that start in `cwd`, that are files when the list is first read. */
export function believeCommand(words: Iterable<string>, cwd = "."): void {
  const known = unread.getOrInsertComputed(resolve(ownFolder(), systemPath(cwd)), () => new Set());
  for (const word of words) known.add(word);
}

/** Absolute paths, links not resolved. */
export function listBelievedPaths(): ReadonlyMap<string, BelievedAccess> {
  for (const [folder, words] of unread) {
    const paths = words.values().map((word) => resolve(folder, word));
    for (const path of paths) if (statOf(path)?.isFile) believe(path);
  }
  unread.clear();
  try {
    for (const path of ownCode()) believe(path);
  } catch {
    // A server with few permissions may not know where its code lies
  }
  return believed;
}

/** The files of this program, some of which it loads late. */
function ownCode(): readonly string[] {
  if (buildForm() === "binary") return [Deno.execPath()];
  const main = pathOfUrl(io().mainModule);
  const parts = partsFolder();
  if (parts !== undefined) return [Deno.execPath(), main, pathOfUrl(parts)];
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
const leading = [".git", ".tool-versions", "mise.toml", ".mise.toml"];

/** Such a path in `cwd` or above, below what programs in a sandbox may write: no sandbox protects it there. */
export function findUntrusted(cwd: string): string | undefined {
  const isBelow = (folder: string) => {
    return !written.has(folder) &&
      [...written].some((top) => folder.startsWith(top === "/" ? top : `${top}/`));
  };
  if (written.size === 0) return undefined;
  for (let folder = realPathOf(cwd) ?? cwd; isBelow(folder); folder = dirname(folder)) {
    const found = leading.map((name) => join(folder, name)).find(isThere);
    if (found !== undefined) return found;
  }
  return undefined;
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
