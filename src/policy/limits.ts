/**
 * Typed arguments → why the author of the tool does not let them through. Like `check.ts`, of which
 * a policy's constraints are a part: what cannot be decided is refused.
 */

import { dirname, isAbsolute, join, relative, sep } from "node:path";
import posix from "node:path/posix";
import { messageOf } from "../errors.ts";
import { ownFolder } from "../process/folders.ts";
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

/** Everything the limits of `args` have against `values`, seen from `place`. */
export async function checkLimits(
  args: readonly Arg[],
  values: ArgValues,
  place: ExecutionLocation,
): Promise<Objection[]> {
  const objections: Objection[] = [];
  for (const arg of args) {
    const { name, limits } = arg;
    const value = values.get(name);
    if (value === undefined || limits === undefined) continue;
    for (const item of itemsOf(value)) {
      objections.push(
        ...isSingle(item) ? await checkItem(arg, item, limits, place) : [notSingle(name, item)],
      );
    }
  }
  return objections;
}

/** What there is against one value, which may be an item of a list. */
async function checkItem(
  arg: Arg,
  value: ArgValue,
  limits: Limits,
  place: ExecutionLocation,
): Promise<Objection[]> {
  const { name } = arg;
  const { pattern, within, excludes } = limits;
  const used = valueUsed(arg, value, place);
  const objections = [
    ...(pattern === undefined ? [] : checkPattern(name, used, await patternOf(pattern))),
    ...checkNumber(name, value, limits),
    ...(excludes === undefined ? [] : checkExcluded(name, String(used), excludes)),
  ];
  if (within === undefined) return objections;
  const reason = isShared(arg)
    ? `is joined with another value, so it may lie outside '${within}'`
    : await pathReason(arg, String(used), limits, place);
  if (reason === undefined) return objections;
  const text = `Argument '${name}': ${quote(String(value))} ${reason}`;
  return [...objections, { arg: name, text, rule: "within" }];
}

/** What `text` contains and may not. */
function checkExcluded(name: string, text: string, excludes: readonly string[]): Objection[] {
  const folded = text.toLowerCase();
  const found = excludes.find((each) => folded.includes(each.toLowerCase()));
  if (found === undefined) return [];
  const reason = `contains ${quote(found)}, which is never allowed`;
  return [{ arg: name, text: `Argument '${name}': ${quote(text)} ${reason}`, rule: "excludes" }];
}

/** The value as the call uses it: of a directory, where it leads. */
function valueUsed({ role }: Arg, value: ArgValue, { directory }: ExecutionLocation): ArgValue {
  return role.kind === "cwd" ? directory ?? value : value;
}

const patterns = new Map<string, Pattern>();

/** Compiled when it is first needed: a start need not load what reads regular expressions. */
async function patternOf(source: string): Promise<Pattern> {
  const known = patterns.get(source);
  if (known !== undefined) return known;
  const { compilePattern } = await import("./pattern.ts");
  const compiled = compilePattern(source);
  if ("reason" in compiled) throw new Error(`'${source}' is not an RE2 expression`);
  patterns.set(source, compiled);
  return compiled;
}

/** What is wrong with where `path` leads; nothing when it lies inside and has no forbidden part. */
async function pathReason(
  { role }: Arg,
  path: string,
  { within = ".", never = [], holdsLinks = false }: Limits,
  place: ExecutionLocation,
): Promise<string | undefined> {
  // A directory to run in is held by where the call would run without it
  const base = role.kind === "cwd" ? place.home : place.directory;
  if (place.isElsewhere) return reasonElsewhere(path, { base, within, never });
  const cwd = base ?? ownFolder();
  const own = role.kind === "cwd" ? "the server's directory" : "the directory of the call";
  const shown = within === "." ? own : `'${within}'`;
  const root = await resolvePath(within, { cwd });
  if (!root.ok) return `cannot be held by '${within}': ${root.reason}`;
  // As the system reads `..`, and as programs do that shorten paths first
  for (const reading of new Set([path, isAbsolute(path) ? join(path) : join(".", path)])) {
    const resolved = await resolvePath(reading, { cwd, known: root.path });
    const reason = reasonOf(resolved, { root: root.path, shown, never });
    if (reason !== undefined) return reason;
    const name = forbiddenIn(partsOf(reading), never);
    if (name !== undefined) return `has a part that is never allowed: '${name}'`;
    if (holdsLinks && resolved.ok) {
      const reason = await linkReason(resolved.path, { root: root.path, shown, never });
      if (reason !== undefined) return reason;
    }
  }
  return undefined;
}

/** Entries of a directory beyond which its links are not looked at, and the call is refused. */
const maxEntries = 10_000;

/** What is wrong with a link in `directory`, or in one above it up to the root. */
async function linkReason(directory: string, held: Held): Promise<string | undefined> {
  let count = 0;
  try {
    for await (const { name, isSymlink } of Deno.readDir(directory)) {
      if (++count > maxEntries) return `has more than ${maxEntries} entries to look for links in`;
      if (!isSymlink) continue;
      const resolved = await resolvePath(name, { cwd: directory, known: held.root });
      const reason = reasonOf(resolved, held);
      if (reason !== undefined) return `has a link '${name}', which ${reason}`;
    }
  } catch (error) {
    return `cannot be looked at for links: ${messageOf(error)}`;
  }
  return directory === held.root ? undefined : await linkReason(dirname(directory), held);
}

interface Held {
  readonly root: string;
  readonly shown: string;
  readonly never: readonly string[];
}

function reasonOf(resolved: RealPath, { root, shown, never }: Held): string | undefined {
  if (!resolved.ok) {
    return resolved.isUnreadable
      ? `lies outside ${shown}`
      : `cannot be resolved, so it may lie outside ${shown}: ${resolved.reason}`;
  }
  const below = relative(root, resolved.path);
  if (below === ".." || below.startsWith(`..${sep}`) || isAbsolute(below)) {
    return `lies outside ${shown}`;
  }
  const inside = never.find((path) => isAbsolute(path) && isBelow(path, resolved.path));
  if (inside !== undefined) return `lies in '${inside}', which is never allowed`;
  const name = forbiddenIn(partsOf(below), never);
  return name === undefined ? undefined : `leads through '${name}', which is never allowed`;
}

function isBelow(directory: string, path: string): boolean {
  return path === directory || path.startsWith(`${directory}${sep}`);
}

/** The same by the text alone, where the files are not seen: links are not resolved. */
function reasonElsewhere(
  path: string,
  { base, within, never }: { base: string | undefined; within: string; never: readonly string[] },
): string | undefined {
  const root = posix.join(base ?? "/", within);
  const whole = posix.isAbsolute(path) ? posix.normalize(path) : posix.join(base ?? "/", path);
  const isInside = base === undefined && within === "."
    ? !posix.isAbsolute(path) && !posix.normalize(path).startsWith("..")
    : whole === root || whole.startsWith(root.endsWith("/") ? root : `${root}/`);
  if (!isInside) return `lies outside '${within}'`;
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

/** Returns whether some file system takes `part` for `name`. */
function isName(part: string, name: string): boolean {
  const folded = foldName(part);
  // Of a name that is dots alone nothing is left when it is folded
  if (name === ".*") return folded.startsWith(".") || part.startsWith(".");
  const isPrefix = name.endsWith("*");
  const wanted = foldName(isPrefix ? name.slice(0, -1) : name);
  if (isPrefix ? folded.startsWith(wanted) : folded === wanted) return true;
  // The short name that NTFS gives to `.git`, and to whatever else begins like it
  const short = RegExp.escape(wanted.replace(/^\./, "").slice(0, 6));
  const rest = isPrefix ? ["[^~]*", "(?:\\..*)?"] : ["", ""];
  return new RegExp(`^${short}${rest[0]}~\\d+${rest[1]}$`).test(folded);
}

/**
 * A name as the most forgiving file systems read it: letter case aside (APFS, NTFS), without what
 * HFS+ ignores, and without what NTFS cuts off its end.
 */
function foldName(part: string): string {
  const name = part.normalize("NFKC").toLowerCase()
    .replaceAll(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, "")
    .replace(/:[^]*$/, "");
  return trimEndOf(name, ". ");
}
