/**
 * Reloads configs and policy when their files change, whole or not at all; not those that a tool may write, of which it
 * says that they changed. Files are polled: editors replace them, and a server may be permitted to read a file but not
 * its folder.
 */

import { systemPath } from "../io.ts";
import { type Clock, repeat, systemClock } from "../async/clock.ts";
import { delay } from "../async/deadline.ts";
import type { Gate } from "../call/context.ts";
import { readTextFile } from "../files/text_file.ts";
import type { NamedText } from "../text/named_text.ts";
import { formatProblem, type Problem } from "../errors.ts";
import { log } from "../log.ts";
import { isPolicyName } from "../policy/locate.ts";
import { fileStamp, stampOfPath } from "../process/folders.ts";
import { isWritable, sayChanged, sayReadOnce } from "../exec/writable_folders.ts";

interface WatchedFiles {
  /** Paths. A change may add some. */
  readonly configs: () => readonly string[];
  /** Only a path is checked, not a text or a bundled policy. */
  readonly policy?: string | NamedText | undefined;
}

/** Loads everything again, whole or not at all. */
type Reload = () => Promise<Readonly<Record<"problems" | "warnings", readonly Problem[]>>>;

/** Milliseconds between checks without calls. */
const intervalMs = 1_000;

/** Milliseconds without a change before a file is read: it may be half written. */
const settledMs = 100;

/** Most milliseconds to wait for a file that keeps changing. */
const settleLimitMs = 200;

/**
 * Calls `reload` whenever one of `files` has changed, and makes calls wait for it; while the policy cannot be read,
 * `gate` is closed. Returns a function that stops this.
 */
export async function watchFiles(
  files: WatchedFiles,
  gate: Gate,
  reload: Reload,
  clock: Clock = systemClock,
): Promise<() => void> {
  const { policy: given } = files;
  const policy = typeof given === "string" && !isPolicyName(given) ? given : undefined;
  const policyPaths = policy === undefined ? [] : [policy];
  const all = () => [...policyPaths, ...files.configs()];
  if (all().length === 0) return () => {};
  const kept = new KeptFiles();
  sayReadOnce(all().filter(isRead));
  const paths = () => all().filter((path) => !kept.has(path));
  const stamps = new Stamps();
  let known = await stampOf(paths());
  let checking: Promise<void> | undefined;
  /** From `performance.now()`: when the last look that found no change, or the last reload, began. */
  let lookedAt = -Infinity;
  const settle = async (stamp: string) => {
    if (stamp === known) return;
    known = await stampWhenSettled(paths, stamp, clock);
    const stamped = known.split("\n");
    const before = new Map(paths().map((path, at) => [path, stamped[at]]));
    const startedAt = Date.now();
    lookedAt = performance.now();
    await change(policyPaths[0], gate, reload);
    kept.forget();
    // New ones were read as they are now, unless they were edited meanwhile
    known = paths().map((path) => {
      return before.get(path) ?? (isOlder(path, startedAt) ? stamps.of([path]) : "");
    }).join("\n");
  };
  const checkAfter = (stamped: Promise<string>) => {
    return checking = stamped.then(settle).finally(() => checking = undefined);
  };
  const checkNow = (arrivedAt: number) => {
    if (checking !== undefined) return checking;
    // Calls that arrive together share one look: what was edited before they arrived was there for it
    if (arrivedAt < lookedAt) return undefined;
    const now = performance.now();
    const stamp = stamps.of(paths());
    if (stamp !== known) return checkAfter(Promise.resolve(stamp));
    lookedAt = now;
    return undefined;
  };
  // A check in progress may have missed the last edit. Where a file system does not respond, the timer has begun a
  // check within a second, and calls wait for that one without blocking the thread
  gate.refresh = (arrivedAt = Infinity) => {
    return checking === undefined ? checkNow(arrivedAt) : checking.then(() => checkNow(arrivedAt));
  };
  const check = () => {
    kept.look();
    void (checking ?? checkAfter(stampOf(paths())));
  };
  const cancel = repeat(clock, intervalMs, check, { unref: true });
  return () => {
    cancel();
    gate.refresh = undefined;
  };
}

/** Scripts and their folders are no such files: their texts count as a person has accepted them. */
function isRead(path: string): boolean {
  return !/\.js$|[\\/]scripts$/.test(path);
}

/** The files that a tool may write. */
class KeptFiles {
  readonly #known = new Map<string, boolean>();
  readonly #stamps = new Map<string, string>();

  has(path: string): boolean {
    return this.#known.getOrInsertComputed(path, () => {
      const isKept = isRead(path) && isWritable(path);
      if (isKept && !this.#stamps.has(path)) {
        this.#stamps.set(path, stampOfPath(path));
        sayReadOnce([path]);
      }
      return isKept;
    });
  }

  /** Says once of each that it changed. */
  look(): void {
    for (const [path, stamp] of this.#stamps) {
      if (stamp === "" || stampOfPath(path) === stamp) continue;
      this.#stamps.set(path, "");
      sayChanged(path);
    }
  }

  /** A tool may write elsewhere now. */
  forget(): void {
    this.#known.clear();
  }
}

async function change(policy: string | undefined, gate: Gate, reload: Reload): Promise<void> {
  const read = policy === undefined ? undefined : await readTextFile(policy);
  if (read?.ok === false) {
    const { message } = read.problem;
    gate.closed = `the policy '${policy}' cannot be read any more: ${message}`;
    log("error", `No call is made: ${gate.closed}`);
    return;
  }
  const { problems, warnings } = await reload();
  if (problems.length > 0) {
    for (const problem of problems) log("error", formatProblem(problem));
    log("error", "The changes are not loaded: the previous configs and policy stay in use");
    return;
  }
  for (const warning of warnings) log("warning", formatProblem(warning));
  gate.closed = undefined;
  log("info", "The changes are loaded");
}

async function stampWhenSettled(paths: () => readonly string[], first: string, clock: Clock) {
  const end = clock.now() + settleLimitMs;
  for (let stamp = first;;) {
    await delay(settledMs, undefined, clock);
    const next = await stampOf(paths());
    if (next === stamp || clock.now() > end) return next;
    stamp = next;
  }
}

/** Differs whenever one of the files is replaced or changed, is missing, or cannot be read. */
async function stampOf(paths: readonly string[]): Promise<string> {
  const stamps = paths.map((path) => Deno.stat(systemPath(path)).then(fileStamp, stampOfMissing));
  return (await Promise.all(stamps)).join("\n");
}

/** Synchronous, which takes a tenth of the time of an asynchronous call. */
class Stamps {
  readonly #missing = new Set<string>();
  /** Loaded when a file is missing, as most locks are: an error each time takes ten times as long. */
  #exists: ((path: string) => boolean) | undefined;

  of(paths: readonly string[]): string {
    return paths.map((path) => this.#stampOf(path)).join("\n");
  }

  #stampOf(path: string): string {
    if (this.#missing.has(path) && this.#exists?.(systemPath(path)) === false) return "NotFound";
    this.#missing.delete(path);
    try {
      return fileStamp(Deno.statSync(systemPath(path)));
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) this.#missing.add(path);
      if (this.#missing.size === 1) {
        void import("node:fs").then((fs) => this.#exists = fs.existsSync);
      }
      return stampOfMissing(error);
    }
  }
}

function isOlder(path: string, date: number): boolean {
  try {
    return (Deno.statSync(systemPath(path)).mtime?.getTime() ?? Infinity) < date;
  } catch {
    return false;
  }
}

function stampOfMissing(error: unknown): string {
  return error instanceof Error ? error.name : "gone";
}
