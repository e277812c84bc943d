/**
 * Loads configs and policy again when their files change, whole or not at all. Files that a tool may write are read
 * only at the start, so that no agent extends its rights; the log names these files. Files are polled, because editors
 * replace them, and a server may have the permission to read a file but not its folder.
 */

import { type Clock, repeat, systemClock } from "../async/clock.ts";
import { delay } from "../async/deadline.ts";
import type { GroupsFile } from "../agents/groups.ts";
import type { CallContext, Gate } from "../call/context.ts";
import type { DocumentResult } from "../files/document.ts";
import { readTextFile } from "../files/text_file.ts";
import type { NamedText } from "../text/named_text.ts";
import { formatProblem, type Problem } from "../errors.ts";
import { log } from "../log.ts";
import { isPolicyName } from "../policy/locate.ts";
import { fileStamp, stampOfPath, statOf } from "../process/folders.ts";
import { isWritable, warnChanged, warnReadOnce } from "../exec/writable_folders.ts";

interface WatchedFiles {
  readonly configs: () => readonly string[];
  readonly policy?: string | NamedText | undefined;
}

type Reload = () => Promise<Readonly<Record<"problems" | "warnings", readonly Problem[]>>>;

/** Milliseconds between two checks of the files; each call checks them too. */
const intervalMs = 1_000;

/** A changed file is read after this many milliseconds without a further change, or after twice as many. */
const settledMs = 100;

/** Watches files: after a change, calls wait until `reload` has run; without a readable policy, `gate` refuses calls. */
export function watchFiles(
  files: WatchedFiles,
  gate: Gate,
  reload: Reload,
  clock: Clock = systemClock,
): () => void {
  const { policy: given } = files;
  const policy = typeof given === "string" && !isPolicyName(given) ? given : undefined;
  const paths = () => [...(policy === undefined ? [] : [policy]), ...files.configs()];
  if (paths().length === 0) return () => {};
  const watch = new FileWatch(paths, () => load(policy, gate, reload), clock);
  gate.refresh = (arrivedAt) => watch.refresh(arrivedAt);
  const cancel = repeat(clock, intervalMs, () => watch.check(), { unref: true });
  return () => {
    cancel();
    gate.refresh = undefined;
  };
}

/** Reads groups of tools from a file. When the file changes, the catalogue is built again. */
export async function watchGroups(
  path: string,
  { catalog }: Pick<CallContext, "catalog">,
  { watch = true, clock }: { readonly watch?: boolean | undefined; readonly clock?: Clock } = {},
): Promise<DocumentResult<GroupsFile & { unwatch(): void }>> {
  const { readGroups } = await import("../agents/groups.ts");
  const first = await readGroups(path);
  if (!first.ok) return first;
  const served = { ...first.value, unwatch: () => {} };
  served.unwatch = watchFiles({ configs: () => watch ? [path] : [] }, {}, async () => {
    const read = await readGroups(path);
    if (!read.ok) return { problems: read.problems, warnings: [] };
    Object.assign(served, read.value);
    catalog.rebuild();
    return { problems: [], warnings: [] };
  }, clock);
  return { ok: true, value: served };
}

type Stamps = ReadonlyMap<string, string>;

class FileWatch {
  readonly #all: () => readonly string[];
  readonly #load: () => Promise<void>;
  readonly #clock: Clock;
  readonly #isWatched = new Map<string, boolean>();
  readonly #readOnce = new Map<string, string>();
  #known: Stamps;
  #checking: Promise<void> | undefined;
  /** When the last load, or the last check that found no change, began, by `performance.now()`. */
  #lookedAt = -Infinity;

  constructor(all: () => readonly string[], load: () => Promise<void>, clock: Clock) {
    this.#all = all;
    this.#load = load;
    this.#clock = clock;
    warnReadOnce(all());
    this.#known = this.#stamps();
  }

  refresh(arrivedAt = Infinity): Promise<void> | undefined {
    return this.#checking === undefined
      ? this.#look(arrivedAt)
      : this.#checking.then(() => this.#look(arrivedAt));
  }

  check(): void {
    for (const [path, stamp] of this.#readOnce) {
      if (stamp === "" || stampOfPath(path) === stamp) continue;
      this.#readOnce.set(path, "");
      warnChanged(path);
    }
    void this.#look(Infinity);
  }

  #look(arrivedAt: number): Promise<void> | undefined {
    if (this.#checking !== undefined) return this.#checking;
    // Calls that arrive together share one check, which sees all changes from before their arrival
    if (arrivedAt < this.#lookedAt) return undefined;
    const now = performance.now();
    const stamps = this.#stamps();
    if (!areEqual(stamps, this.#known)) {
      return this.#checking = this.#loadChanged(stamps).finally(() => this.#checking = undefined);
    }
    this.#lookedAt = now;
    return undefined;
  }

  async #loadChanged(changed: Stamps): Promise<void> {
    let stamps = changed;
    for (let isSettled = false, tries = 0; !isSettled && tries < 2; tries++) {
      await delay(settledMs, undefined, this.#clock);
      const next = this.#stamps();
      isSettled = areEqual(next, stamps);
      stamps = next;
    }
    const startedAt = Date.now();
    this.#lookedAt = performance.now();
    await this.#load();
    this.#isWatched.clear();
    this.#known = new Map(
      this.#paths().map((path) => [path, stamps.get(path) ?? stampBefore(path, startedAt)]),
    );
  }

  #paths(): readonly string[] {
    return this.#all().filter((path) =>
      this.#isWatched.getOrInsertComputed(path, () => {
        if (!isWritable(path)) return true;
        if (!this.#readOnce.has(path)) {
          this.#readOnce.set(path, stampOfPath(path));
          warnReadOnce([path]);
        }
        return false;
      })
    );
  }

  #stamps(): Stamps {
    return new Map(this.#paths().map((path) => [path, stampOfPath(path)]));
  }
}

function areEqual(one: Stamps, other: Stamps): boolean {
  return one.size === other.size &&
    one.entries().every(([path, stamp]) => other.get(path) === stamp);
}

function stampBefore(path: string, date: number): string {
  const stat = statOf(path);
  return stat !== undefined && Number(stat.mtime) < date ? fileStamp(stat) : "";
}

async function load(policy: string | undefined, gate: Gate, reload: Reload): Promise<void> {
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
