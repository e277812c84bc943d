/** Finds what git could not bring back if files were lost. What cannot be told counts as unsaved. */

import { relative } from "node:path";
import { isThere } from "../process/protected_paths.ts";
import type { AskGit } from "./repository.ts";

interface FilesToLose {
  /** Absolute paths of files and folders. */
  readonly paths: readonly string[];
  readonly cwd: string;
  /** `files`: their contents; `staged`: what is staged of them, or of all if there are none. */
  readonly kind: "files" | "staged";
}

/** Returns in words the first thing that git has not, and nothing if it has all. `ask` is absent without git. */
export async function findUnsaved(
  ask: AskGit | undefined,
  { paths, cwd, kind }: FilesToLose,
): Promise<string | undefined> {
  const isStaged = kind === "staged";
  // git itself takes a path for a pattern
  const own = isStaged ? paths : paths.filter((path) => isThere(path) || /[*?[\\]/.test(path));
  if (!isStaged && own.length === 0) return paths.length === 0 ? "all may be lost" : undefined;
  // What begins with a colon would be no path
  const words = ["--", ...own.map((path) => `./${relative(cwd, path)}`)];
  const untracked = `--untracked-files=${own.every(isThere) ? "normal" : "all"}`;
  const status = ["status", "--porcelain=v1", "-z", "--no-renames", "--ignored", untracked];
  const [changes, tracked] = await Promise.all([
    ask?.([...status, "--ignore-submodules=none", ...words], cwd),
    ask?.(["ls-files", "--error-unmatch", "--stage", "-v", "-z", ...words], cwd),
  ]);
  if (!changes?.ok || !tracked?.ok) return "git does not have all of it";
  // The index has both sides of a conflict
  const told = isStaged ? /(?<=^|\0)[^ ?!]{2} [^\0]+/ : /(?<=^|\0)(?!(?:U.|.U|AA|DD) )[^\0]+/;
  const [change] = told.exec(changes.stdout) ?? [];
  if (change !== undefined) return `git has no copy of ${JSON.stringify(change.slice(3))} as it is`;
  // A submodule, and a file that git is told not to look at
  const isUnseen = !isStaged && !/^(?:[HM] 1[02][^\0]*\0?)*$/.test(tracked.stdout);
  return isUnseen ? "git does not look at all of it" : undefined;
}
