/** Says why a call may not use a path: because of the place that it leads to, or of a name in it. */

import { originalName } from "../text/original_name.ts";
import {
  basename,
  delimiter,
  dirname,
  isAbsolute,
  join,
  normalize,
  relative,
  resolve,
  sep,
} from "node:path";
import posix from "node:path/posix";
import { messageOf } from "../errors.ts";
import { optionalVariable, systemPath } from "../io.ts";
import { serverFiles } from "../exec/private_paths.ts";
import { gitFolderNames, isThere, pathsToRefuse } from "../process/protected_paths.ts";
import { contains, loginsName, ownFolder, personalHomes, realPathOf } from "../process/folders.ts";
import { trimEndOf } from "../text/excerpt.ts";
import { yielding } from "../async/deadline.ts";
import type { ExecutionLocation } from "../tool/runner.ts";
import type { Arg, Limits } from "../tool/tool.ts";
import { maxParts, type RealPath, resolvePath } from "./real_path.ts";

/**
 * Returns whether `path`, relative to `cwd`, leads into `directory`, which must be absolute and have no links. It must
 * do so for programs that follow links first and for those that shorten `a/..` first. With `asText`, `path` as written
 * must be in `directory` too, since a link may become a folder before a program looks.
 */
export async function isWithin(
  path: string,
  cwd: string | undefined,
  directory: string,
  asText = false,
): Promise<{ readonly within: boolean } | { readonly reason: string }> {
  const text = () => resolve(realPathOf(ownFolder()) ?? ownFolder(), cwd ?? "", path);
  if (asText && !contains(directory, text())) return { within: false };
  for (const reading of new Set([path, normalize(path)])) {
    const resolved = await resolvePath(reading, { cwd, known: directory });
    if (!resolved.ok) {
      return resolved.isUnreadable ? { within: false } : { reason: resolved.reason };
    }
    const isLogin = resolved.path.split(sep).some((name) => name.toLowerCase() === loginsName);
    if (isLogin || !contains(directory, resolved.path)) return { within: false };
  }
  return { within: true };
}

export async function limitReason(
  { role }: Arg,
  path: string,
  { within = ".", never: ownNever = [], holdsLinks = false }: Limits,
  location: ExecutionLocation,
): Promise<string | undefined> {
  const mayChange = ownNever.some((name) => name === serverFiles[0] || name === ".*");
  const never = forbid([...ownNever, loginsName, ...pathsToRefuse(mayChange)]);
  const base = role.kind === "cwd" ? location.home : location.directory;
  if (location.isElsewhere) return reasonElsewhere(path, { base, within, never });
  const cwd = base ?? ownFolder();
  const own = role.kind === "cwd" ? "the server's directory" : "the directory of the call";
  const root = await resolvePath(within, { cwd });
  if (!root.ok) return `cannot be held by '${within}': ${root.reason}`;
  const rootText = within === "." ? `${root.path}, ${own}` : `'${root.path}'`;
  const isWritten = mayChange && role.kind !== "cwd";
  for (const reading of new Set([path, isAbsolute(path) ? join(path) : join(".", path)])) {
    const resolved = await resolvePath(reading, { cwd, known: root.path });
    const reason = reasonOf(resolved, { root: root.path, rootText, never });
    if (reason !== undefined) return reason;
    const moved = isWritten && resolved.ok &&
      never.places.find(({ key }) => key.startsWith(keyOf(resolved.path)));
    if (moved) return `holds '${moved.path}', which is never allowed`;
    if (isWritten && !location.followsNoLinks && resolved.ok && makesRepository(resolved.path)) {
      const part = basename(resolved.path);
      return `would be a part of a repository of git, which '${part}' makes of its folder`;
    }
    if (isWritten && resolved.ok) {
      const reason = homeReason(resolved.path, root.path);
      if (reason !== undefined) return reason;
    }
    const name = forbiddenIn(partsOf(reading), never);
    if (name !== undefined) return `has a part that is never allowed: '${name}'`;
    if (holdsLinks && resolved.ok) {
      const reason = await linkReason(resolved.path, { root: root.path, rootText, never });
      if (reason !== undefined) return reason;
    }
  }
  return undefined;
}

/**
 * Returns why a tool must not write at `path` in a home folder: under a hidden name (programs read their settings
 * there), or in a folder of PATH (programs there are run).
 */
function homeReason(path: string, root: string): string | undefined {
  const home = personalHomes().flatMap((each) => realPathOf(each) ?? [])
    .find((each) => contains(root, each) && contains(each, path));
  if (home === undefined) return undefined;
  const [first = ""] = partsOf(relative(home, path));
  if (first.startsWith(".")) {
    return `lies in '${join(home, first)}', which programs of your home folder obey`;
  }
  const folders = [join(home, "bin"), ...(optionalVariable("PATH") ?? "").split(delimiter)];
  const onPath = folders.find((folder) =>
    folder !== "" && contains(realPathOf(folder) ?? folder, path)
  );
  return onPath === undefined || !contains(home, onPath) || onPath === home
    ? undefined
    : `lies in '${onPath}', where programs are looked for`;
}

/**
 * Returns whether a file named `path` turns its folder into a git repository, whose settings git would obey and run.
 */
function makesRepository(path: string): boolean {
  const name = basename(path);
  const isBeside = (names: readonly string[]) => {
    return names.some((other) => isThere(join(dirname(path), other)));
  };
  const [head, ...others] = gitFolderNames;
  if (name.toUpperCase() === head) return name === head || isBeside(others);
  return others.includes(name.toLowerCase()) && isBeside([head!]);
}

const maxEntries = 10_000;

/** Returns why `directory` is not allowed: a link in it, or in one of its parents, leads where the call may not go. */
async function linkReason(directory: string, bounds: PathBounds): Promise<string | undefined> {
  let count = 0;
  try {
    for await (const { name, isSymlink } of yielding(Deno.readDir(systemPath(directory)))) {
      if (++count > maxEntries) return `has more than ${maxEntries} entries to look for links in`;
      if (!isSymlink) continue;
      const resolved = await resolvePath(name, { cwd: directory, known: bounds.root });
      const reason = reasonOf(resolved, bounds);
      if (reason !== undefined) return `has a link '${name}', which ${reason}`;
    }
  } catch (error) {
    return `cannot be looked at for links: ${messageOf(error)}`;
  }
  return directory === bounds.root ? undefined : await linkReason(dirname(directory), bounds);
}

interface PathBounds {
  readonly root: string;
  readonly rootText: string;
  readonly never: Forbidden;
}

function reasonOf(resolved: RealPath, { root, rootText, never }: PathBounds): string | undefined {
  if (!resolved.ok) {
    return resolved.isUnreadable
      ? `lies outside ${rootText}`
      : `cannot be resolved, so it may lie outside ${rootText}: ${resolved.reason}`;
  }
  const below = relative(root, resolved.path);
  if (below === ".." || below.startsWith(`..${sep}`) || isAbsolute(below)) {
    return `lies outside ${rootText}`;
  }
  const key = keyOf(resolved.path);
  const inside = never.places.find((place) => key.startsWith(place.key));
  if (inside !== undefined) return `lies in '${inside.path}', which is never allowed`;
  const name = forbiddenIn(partsOf(below), never);
  return name === undefined ? undefined : `leads through '${name}', which is never allowed`;
}

function keyOf(path: string): string {
  return partsOf(path).map((part) => `${foldName(part)}\0`).join("");
}

/** Checks a path on another machine by its text alone, since its links cannot be looked up from here. */
function reasonElsewhere(
  path: string,
  { base, within, never }: { base: string | undefined; within: string; never: Forbidden },
): string | undefined {
  if (countParts(path) > maxParts) return `has more than ${maxParts} parts`;
  const root = posix.join(base ?? "/", within);
  const whole = posix.isAbsolute(path) ? posix.normalize(path) : posix.join(base ?? "/", path);
  const isInside = base === undefined && within === "."
    ? !posix.isAbsolute(path) && !posix.normalize(path).startsWith("..")
    : whole === root || whole.startsWith(root.endsWith("/") ? root : `${root}/`);
  if (!isInside) return `lies outside '${base === undefined ? within : root}'`;
  const name = forbiddenIn(partsOf(path), never);
  return name === undefined ? undefined : `has a part that is never allowed: '${name}'`;
}

export function countParts(path: string): number {
  return path.split(/[\\/]/).length;
}

function partsOf(path: string): string[] {
  return path.split(/[\\/]+/).filter((part) => part !== "" && part !== "." && part !== "..");
}

interface Forbidden {
  readonly places: readonly { readonly path: string; readonly key: string }[];
  readonly names: RegExp;
  readonly isHiddenToo: boolean;
}

const forbidden = new Map<string, Forbidden>();

function forbid(never: readonly string[]): Forbidden {
  if (forbidden.size > 100) forbidden.clear();
  return forbidden.getOrInsertComputed(never.join("\0"), () => {
    const paths = never.filter((name) => isAbsolute(name));
    const names = never.filter((name) => !isAbsolute(name)).map(nameExpression);
    return {
      places: paths.map((path) => ({ path, key: keyOf(path) })),
      names: new RegExp(`^(?:${names.join("|")})$`, "su"),
      isHiddenToo: never.includes(".*"),
    };
  });
}

/** Returns a pattern for `name` and all other names by which a file system finds the same file. */
function nameExpression(name: string): string {
  if (name === ".*") return String.raw`\..*`;
  if (name.startsWith("*")) return `.*${RegExp.escape(foldName(name.slice(1)))}`;
  const isPrefix = name.endsWith("*");
  const folded = isPrefix ? name.slice(0, -1).toLowerCase() : foldName(name);
  // On Windows, NTFS also finds `.git` under the short name `git~1`; similar names have higher numbers
  const short = RegExp.escape(folded.replace(/^\./, "").slice(0, 6));
  const rest = isPrefix ? ["[^~]*", ".*"] : ["", ""];
  return String.raw`${short}${rest[0]}~\d+(?:\..*)?|${RegExp.escape(folded)}${rest[1]}`;
}

function forbiddenIn(parts: readonly string[], never: Forbidden): string | undefined {
  return parts.find((part) => {
    const name = foldName(part);
    return never.names.test(name) || never.names.test(originalName(name)) ||
      (never.isHiddenToo && part.startsWith("."));
  });
}

/** Folds a name so that all spellings that a file system takes for the same name become equal. */
function foldName(part: string): string {
  const name = part.normalize("NFKC").toLowerCase()
    .replaceAll(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, "")
    .replace(/:[^]*$/, "");
  return trimEndOf(name, ". ");
}
