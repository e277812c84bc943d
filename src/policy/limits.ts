/**
 * Checks coerced arguments against the limits that the author of the tool has set, as `check.ts` does for a policy.
 * What cannot be decided is refused.
 */

import { dirname, isAbsolute, join, relative, sep } from "node:path";
import posix from "node:path/posix";
import { systemPath } from "../io.ts";
import { messageOf } from "../errors.ts";
import { loginsName, ownFolder } from "../process/folders.ts";
import { quote } from "../text/excerpt.ts";
import { trimEndOf } from "../text/trim_end.ts";
import type { ExecutionLocation } from "../tool/runner.ts";
import type { Arg, ArgValue, ArgValues, Limits, Pattern } from "../tool/tool.ts";
import {
  checkNumber,
  checkPattern,
  isShared,
  isSingle,
  itemsOf,
  notSingle,
  type Objection,
} from "./check.ts";
import { type RealPath, resolvePath } from "./paths.ts";

/** Checks all limits of `args` on `values`, relative to `location`. */
export async function checkLimits(
  args: readonly Arg[],
  values: ArgValues,
  location: ExecutionLocation,
): Promise<Objection[]> {
  const objections: Objection[] = [];
  for (const arg of args) {
    const { name, limits } = arg;
    const value = values.get(name);
    if (value === undefined || limits === undefined) continue;
    for (const item of itemsOf(value)) {
      objections.push(
        ...isSingle(item) ? await checkItem(arg, item, limits, location) : [notSingle(name, item)],
      );
    }
  }
  return objections;
}

/** One value, which may be an item of a list. */
async function checkItem(
  arg: Arg,
  value: ArgValue,
  limits: Limits,
  location: ExecutionLocation,
): Promise<Objection[]> {
  const { name } = arg;
  const { pattern, within, excludes } = limits;
  const used = valueUsed(arg, value, location);
  const objections = [
    ...(pattern === undefined ? [] : checkPattern(arg, used, await patternOf(pattern))),
    ...checkNumber(name, value, limits),
    ...(excludes === undefined ? [] : checkExcluded(name, String(used), excludes)),
  ];
  if (within === undefined) return objections;
  const reason = isShared(arg)
    ? `is joined with another value, so it may lie outside '${within}'`
    : await pathReason(arg, String(used), limits, location);
  if (reason === undefined) return objections;
  const text = `Argument '${name}': ${quote(String(value))} ${reason}`;
  return [...objections, { arg: name, text, rule: "within" }];
}

function checkExcluded(name: string, text: string, excludes: readonly string[]): Objection[] {
  const folded = text.toLowerCase();
  const found = excludes.find((each) => folded.includes(each.toLowerCase()));
  if (found === undefined) return [];
  const reason = `contains ${quote(found)}, which is never allowed`;
  return [{ arg: name, text: `Argument '${name}': ${quote(text)} ${reason}`, rule: "excludes" }];
}

/** The value as the call uses it: for a working directory, the resolved one. */
function valueUsed({ role }: Arg, value: ArgValue, { directory }: ExecutionLocation): ArgValue {
  return role.kind === "cwd" ? directory ?? value : value;
}

const patterns = new Map<string, Pattern>();

/** Compiled on demand: a start does not load RE2. */
async function patternOf(source: string): Promise<Pattern> {
  const known = patterns.get(source);
  if (known !== undefined) return known;
  const { compilePattern } = await import("./pattern.ts");
  const compiled = compilePattern(source);
  if ("reason" in compiled) throw new Error(`'${source}' is not an RE2 expression`);
  patterns.set(source, compiled);
  return compiled;
}

/** Checks that `path` leads inside, and has no forbidden part. */
async function pathReason(
  { role }: Arg,
  path: string,
  { within = ".", never: ownNever = [], holdsLinks = false }: Limits,
  location: ExecutionLocation,
): Promise<string | undefined> {
  // No tool reads the tokens of a person
  const never = [...ownNever, loginsName];
  // A working directory is relative to that of a call without one
  const base = role.kind === "cwd" ? location.home : location.directory;
  if (location.isElsewhere) return reasonElsewhere(path, { base, within, never });
  const cwd = base ?? ownFolder();
  const own = role.kind === "cwd" ? "the server's directory" : "the directory of the call";
  const root = await resolvePath(within, { cwd });
  if (!root.ok) return `cannot be held by '${within}': ${root.reason}`;
  const rootText = within === "." ? `${root.path}, ${own}` : `'${root.path}'`;
  // As the system resolves `..`, and as programs do that shorten paths first
  for (const reading of new Set([path, isAbsolute(path) ? join(path) : join(".", path)])) {
    const resolved = await resolvePath(reading, { cwd, known: root.path });
    const reason = reasonOf(resolved, { root: root.path, rootText, never });
    if (reason !== undefined) return reason;
    const name = forbiddenIn(partsOf(reading), never);
    if (name !== undefined) return `has a part that is never allowed: '${name}'`;
    if (holdsLinks && resolved.ok) {
      const reason = await linkReason(resolved.path, { root: root.path, rootText, never });
      if (reason !== undefined) return reason;
    }
  }
  return undefined;
}

/** Most entries of a directory whose links are checked; beyond that, the call is refused. */
const maxEntries = 10_000;

/** Checks the links in `directory` and in its parents. */
async function linkReason(directory: string, bounds: PathBounds): Promise<string | undefined> {
  let count = 0;
  try {
    for await (const { name, isSymlink } of Deno.readDir(systemPath(directory))) {
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
  readonly never: readonly string[];
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
  const inside = never.find((path) => isAbsolute(path) && isBelow(path, resolved.path));
  if (inside !== undefined) return `lies in '${inside}', which is never allowed`;
  const name = forbiddenIn(partsOf(below), never);
  return name === undefined ? undefined : `leads through '${name}', which is never allowed`;
}

/** Letter case says nothing on Windows and macOS. */
function isBelow(directory: string, path: string): boolean {
  const parts = partsOf(path);
  return partsOf(directory).every((name, at) => foldName(parts[at] ?? "") === foldName(name));
}

/** Checks the text alone if the files are not on this machine: links are not resolved. */
function reasonElsewhere(
  path: string,
  { base, within, never }: { base: string | undefined; within: string; never: readonly string[] },
): string | undefined {
  const root = posix.join(base ?? "/", within);
  const whole = posix.isAbsolute(path) ? posix.normalize(path) : posix.join(base ?? "/", path);
  const isInside = base === undefined && within === "."
    ? !posix.isAbsolute(path) && !posix.normalize(path).startsWith("..")
    : whole === root || whole.startsWith(root.endsWith("/") ? root : `${root}/`);
  if (!isInside) return `lies outside '${base === undefined ? within : root}'`;
  const name = forbiddenIn(partsOf(path), never);
  return name === undefined ? undefined : `has a part that is never allowed: '${name}'`;
}

function partsOf(path: string): string[] {
  return path.split(/[\\/]+/).filter((part) => part !== "" && part !== "." && part !== "..");
}

function forbiddenIn(parts: readonly string[], never: readonly string[]): string | undefined {
  const names = never.filter((name) => !name.startsWith("/"));
  return parts.find((part) => names.some((name) => isName(part, name)));
}

/** Returns whether some file system reads `part` as `name`. */
function isName(part: string, name: string): boolean {
  const folded = foldName(part);
  // Dots alone fold to nothing
  if (name === ".*") return folded.startsWith(".") || part.startsWith(".");
  if (name.startsWith("*")) return folded.endsWith(foldName(name.slice(1)));
  const isPrefix = name.endsWith("*");
  const foldedName = foldName(isPrefix ? name.slice(0, -1) : name);
  if (isPrefix ? folded.startsWith(foldedName) : folded === foldedName) return true;
  // NTFS gives `.git` this short name, and other names with the same start
  const short = RegExp.escape(foldedName.replace(/^\./, "").slice(0, 6));
  return new RegExp(`^${short}${isPrefix ? "[^~]*" : ""}~\\d+(?:\\..*)?$`).test(folded);
}

/**
 * Folds a name as the most tolerant file systems do: without case (APFS, NTFS), without characters that HFS+
 * ignores, and without those that NTFS cuts off its end.
 */
function foldName(part: string): string {
  const name = part.normalize("NFKC").toLowerCase()
    .replaceAll(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, "")
    .replace(/:[^]*$/, "");
  return trimEndOf(name, ". ");
}
