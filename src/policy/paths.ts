/**
 * Resolves symbolic links in a path, even if its end does not exist.
 *
 * Walks step by step, because `Deno.realPath` and `fs.realpath` shorten `a/link/..` to `a` before they read the link,
 * and the system does not.
 */

import { dirname, isAbsolute, join, normalize, parse, sep } from "node:path";
import { messageOf } from "../errors.ts";
import { io, systemPath } from "../io.ts";
import { loginsName } from "../process/folders.ts";
import { contains } from "../files/contains.ts";
import { nameProblem } from "../files/windows_names.ts";

/** The absolute path without links, or why it cannot be resolved. */
export type RealPath =
  | { readonly ok: true; readonly path: string }
  | {
    readonly ok: false;
    readonly reason: string;
    /** True without the permission to read there, outside of the known directory. */
    readonly isUnreadable?: boolean;
  };

/** Longest path of any system: `PATH_MAX` of Linux, the limit of Windows. */
const maxLength = Deno.build.os === "windows" ? 32_767 : 4096;

/** Most links in one path: `path_resolution(7)` of Linux. */
const maxLinks = 40;

/**
 * Returns whether `path`, relative to `cwd` (absent: the directory of this process), is inside `directory`, which is
 * absolute and has no links. The folder of logins is inside nothing. It must be inside both as the system resolves `..` and as programs do that shorten
 * paths first.
 */
export async function isWithin(
  path: string,
  cwd: string | undefined,
  directory: string,
): Promise<{ readonly within: boolean } | { readonly reason: string }> {
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

export interface ResolveOptions {
  /** The base of a relative path. @default the directory of this process */
  readonly cwd?: string | undefined;
  /** A directory that is absolute and has no links, so that its parents are not read. */
  readonly known?: string | undefined;
}

/**
 * Resolves `path` as the system would. The part that does not exist must not have `..`: programs read that
 * differently.
 */
export async function resolvePath(path: string, options: ResolveOptions = {}): Promise<RealPath> {
  if (path === "") return { ok: false, reason: "the path is empty" };
  if (path.length > maxLength) return { ok: false, reason: "no path may be that long" };
  try {
    // Windows shortens a path before it reads links
    const whole = Deno.build.os === "windows" ? normalize(path) : path;
    const { root } = parse(whole);
    const start = root !== "" ? root : await baseOf(options.cwd);
    return await walk(start, steps(whole.slice(root.length)), options.known ?? start);
  } catch (error) {
    return { ok: false, reason: messageOf(error) };
  }
}

async function baseOf(cwd: string | undefined): Promise<string> {
  return cwd === undefined ? io().cwd() : await Deno.realPath(systemPath(cwd));
}

async function walk(start: string, path: string[], known: string): Promise<RealPath> {
  const pending = path.reverse();
  let current = start;
  let exists = true;
  let links = 0;
  if (isElsewhere(start, known)) return onShare;
  for (let step = pending.pop(); step !== undefined; step = pending.pop()) {
    if (step === "..") {
      if (!exists) return { ok: false, reason: "it goes up from what does not exist" };
      current = dirname(current);
      continue;
    }
    const next = join(current, step);
    if (Deno.build.os === "windows" && !contains(next, known)) {
      const reason = nameProblem(step);
      if (reason !== undefined) return { ok: false, reason };
    }
    const found: Found | Deno.errors.NotCapable = contains(next, known)
      ? "there"
      : exists
      ? await look(next)
      : "missing";
    if (found instanceof Deno.errors.NotCapable) {
      const isUnreadable = !contains(known, next);
      return { ok: false, reason: found.message, ...(isUnreadable ? { isUnreadable } : {}) };
    }
    if (typeof found === "object") {
      if (++links > maxLinks) return { ok: false, reason: "too many symbolic links" };
      if (isOwnToProcess(next)) {
        return { ok: false, reason: `'${next}' leads elsewhere for each process` };
      }
      if (isAbsolute(found.link)) current = parse(found.link).root;
      if (isElsewhere(current, known)) return onShare;
      pending.push(...steps(found.link).reverse());
    } else {
      exists = found === "there";
      current = next;
    }
  }
  return { ok: true, path: current };
}

const onShare: RealPath = { ok: false, reason: "it leads to a share or a device" };

/**
 * Returns whether `path` is on another share than `known`, or names a device. Windows logs in to the server of a share
 * when a path on it is read, so such a path is not.
 */
function isElsewhere(path: string, known: string): boolean {
  const { root } = parse(path);
  return Deno.build.os === "windows" && /^[\\/]{2}/.test(root) && root !== parse(known).root;
}

/** Returns whether a link at `path` is different for each process, such as `/proc/self/cwd` of Linux. */
function isOwnToProcess(path: string): boolean {
  return Deno.build.os === "linux" && contains("/proc", path);
}

type Found = "there" | "missing" | { readonly link: string };

/** The names of a path without `.`. */
function steps(path: string): string[] {
  return path.split(Deno.build.os === "windows" ? /[\\/]+/ : /\/+/)
    .filter((step) => step !== "" && step !== ".");
}

/** The directory of `path` has no links. */
async function look(path: string): Promise<Found | Deno.errors.NotCapable> {
  try {
    const { isSymlink } = await Deno.lstat(path);
    return isSymlink ? { link: await Deno.readLink(path) } : "there";
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "missing";
    if (error instanceof Deno.errors.NotCapable) return error;
    throw error;
  }
}
