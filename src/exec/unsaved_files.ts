/** Finds what git could not bring back if files were lost. What cannot be told counts as unsaved. */

import { relative, resolve } from "node:path";
import { isThere } from "../process/protected_paths.ts";
import { type AskGit, isSubmodule, pathOf } from "./repository.ts";

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
  const there = paths.filter(isThere);
  // git itself takes a path for a pattern
  const patterns = paths.filter((path) => !there.includes(path) && /[*?[\\]/.test(path));
  const own = isStaged ? paths : [...there, ...patterns];
  if (!isStaged && own.length === 0) return paths.length === 0 ? "all may be lost" : undefined;
  // What begins with a colon would be no path
  const words = ["--", ...own.map((path) => `./${relative(cwd, path)}`)];
  const untracked = `--untracked-files=${patterns.length > 0 ? "all" : "normal"}`;
  const status = ["status", "--porcelain=v1", "-z", "--no-renames", "--ignored", untracked];
  const [changes, tracked] = await Promise.all([
    ask?.([...status, "--ignore-submodules=none", ...words], cwd),
    ask?.(["ls-files", "--stage", "-z", ...words], cwd),
  ]);
  if (!changes?.ok || !tracked?.ok) return "git does not tell what it has";
  const entries = changes.stdout.split("\0").filter((line) => line !== "");
  const lost = entries.find((line) => !isStaged || /^[^ ?!]{2}/.test(line));
  if (lost !== undefined) return `git has no copy of ${JSON.stringify(lost.slice(3))} as it is`;
  if (isStaged) return undefined;
  const kept = tracked.stdout.split("\0").filter((line) => line !== "");
  const known = kept.map((line) => resolve(cwd, pathOf(line)));
  const other = there.find((path) => {
    return !known.some((file) => file === path || file.startsWith(`${path}/`));
  }) ?? kept.find(isSubmodule);
  return other === undefined ? undefined : `git does not track ${JSON.stringify(other)}`;
}
