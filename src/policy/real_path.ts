/**
 * Resolves the symbolic links of a path step by step, as the system does, even if the end does not exist:
 * `Deno.realPath` and `fs.realpath` shorten `a/link/..` to `a` before they read the link.
 */

import { dirname, isAbsolute, join, normalize, parse } from "node:path";
import { messageOf } from "../errors.ts";
import { nameProblem } from "../files/windows_names.ts";
import { io, systemPath } from "../io.ts";
import { contains } from "../process/folders.ts";

export type RealPath =
  | { readonly ok: true; readonly path: string }
  | {
    readonly ok: false;
    readonly reason: string;
    /** True if this process lacks the permission to read the path, which lies outside of the known directory. */
    readonly isUnreadable?: boolean;
  };

/** The most characters of a path: `PATH_MAX` on Linux, and the limit of Windows. */
const maxLength = Deno.build.os === "windows" ? 32_767 : 4096;

/** A path that leads through more than this many links is refused, as Linux does (`path_resolution(7)`). */
const maxLinks = 40;

export const maxParts = 256;

/** Returns why `path` is too long. Call this before other functions on paths, which take very long for a huge path. */
export function lengthReason({ length }: string): string | undefined {
  return length <= maxLength
    ? undefined
    : `no path may be that long: it has ${length} characters, and ${maxLength} are possible`;
}

interface ResolveOptions {
  readonly cwd?: string | undefined;
  /** An absolute directory that is known to have no links, so that it and its parents are not looked up. */
  readonly known?: string | undefined;
}

/** Resolves all links of `path`. Refused is `..` after a missing part, which programs read in different ways. */
export async function resolvePath(path: string, options: ResolveOptions = {}): Promise<RealPath> {
  if (path === "") return { ok: false, reason: "the path is empty" };
  if (path.length > maxLength) return { ok: false, reason: "no path may be that long" };
  try {
    // Windows itself removes `a/..` from a path before it follows links, other systems do not
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
  if (pending.length > maxParts) return tooManyParts;
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
      if (Deno.build.os === "linux" && contains("/proc", next)) {
        return { ok: false, reason: `'${next}' leads elsewhere for each process` };
      }
      if (isAbsolute(found.link)) current = parse(found.link).root;
      if (isElsewhere(current, known)) return onShare;
      pending.push(...steps(found.link).reverse());
      if (pending.length > maxParts) return tooManyParts;
    } else {
      exists = found === "there";
      current = next;
    }
  }
  return { ok: true, path: current };
}

const tooManyParts: RealPath = { ok: false, reason: `it has more than ${maxParts} parts` };

const onShare: RealPath = { ok: false, reason: "it leads to a share or a device" };

/** Returns whether `path` is on another network share: to look there, Windows would send the person's login to it. */
function isElsewhere(path: string, known: string): boolean {
  const { root } = parse(path);
  return Deno.build.os === "windows" && /^[\\/]{2}/.test(root) && root !== parse(known).root;
}

type Found = "there" | "missing" | { readonly link: string };

function steps(path: string): string[] {
  return path.split(Deno.build.os === "windows" ? /[\\/]+/ : /\/+/)
    .filter((step) => step !== "" && step !== ".");
}

/** Looks up `path`: a link, something else, or nothing. The directory of `path` must have no links. */
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
