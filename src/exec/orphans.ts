/**
 * Programs of servers that were ended before they could end them: a mark names its server, and a
 * server that is not there any more ends nobody.
 */

import { log } from "../log.ts";
import { plural } from "../text/plural.ts";
import { trackBackground } from "./background_work.ts";
import { surveyProcesses, withDescendants } from "./containment.ts";
import { endProcesses } from "./end_processes.ts";
import { serverOf } from "./mark.ts";
import { type Process, processes } from "./processes.ts";

/** Processes named in a log line. */
const maxShown = 10;

export interface OrphanScanOptions {
  /** Ends them, instead of only logging them. */
  readonly reap: boolean;
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly graceMs: number;
}

/** Milliseconds after the start of serving: the first answers are not to wait for it. */
const surveyAfterMs = 250;

/** Looks for what is left behind a moment after the start. Returns what calls it off. */
export function scheduleOrphanScan(options: OrphanScanOptions): () => void {
  const timer = setTimeout(() => trackBackground(lookForLeftBehind(options)), surveyAfterMs);
  return () => clearTimeout(timer);
}

/** Looks for what servers of this user left behind, and says so, or ends it. */
async function lookForLeftBehind({ reap, graceMs }: OrphanScanOptions): Promise<void> {
  if (Deno.build.os === "windows") return;
  const all = await surveyProcesses();
  if (all === undefined) {
    log(
      "warning",
      "Processes cannot be listed, so a program that begins a session of its own outlives its " +
        "call: ending it takes ps, and --allow-run=ps or an unrestricted --allow-run",
    );
    return;
  }
  const found = findOrphans(all);
  if (found.length === 0) return;
  const count = `${plural(found.length, "program")} of servers that have ended`;
  const names = found.slice(0, maxShown).map(({ pid, name }) => `${pid} (${name})`).join(", ");
  const more = found.length > maxShown ? " …" : "";
  if (!reap) {
    log(
      "warning",
      `Still running: ${count}: ${names}${more}; --kill-orphans ends them at the start`,
    );
    return;
  }
  log("warning", `Ending ${count}: ${names}${more}`);
  const look = async () => {
    const now = await processes();
    return { ids: findOrphans(now ?? []).map(({ pid }) => pid), listed: now !== undefined };
  };
  const onLeft = () => log("warning", "Some of them still run");
  if (await endProcesses(look, { graceMs, onLeft }) === "denied") {
    log("warning", "They still run: ending them takes --allow-run=kill or all of --allow-run");
  }
}

/** Those of `all` whose marks name a server of this user that is not there any more. */
export function findOrphans(all: readonly Process[]): readonly Process[] {
  const self = all.find(({ pid }) => pid === Deno.pid);
  if (self === undefined) return [];
  const isOurs = ({ user, space }: Process) => user === self.user && space === self.space;
  const byId = new Map(all.map((process) => [process.pid, process]));
  const around = marksAround(self, byId);
  const dead = new Set(
    all.filter(isOurs).flatMap((process) => {
      return process.marks.filter((mark) => isDead(mark, process, byId) && !around.has(mark));
    }),
  );
  return withDescendants(all, ({ marks }) => marks.some((mark) => dead.has(mark))).filter(isOurs);
}

/** The marks of `self` and of those it descends from, which are not to be ended by it. */
function marksAround(self: Process, byId: ReadonlyMap<number, Process>): ReadonlySet<string> {
  const seen = new Set<Process>();
  for (
    let each: Process | undefined = self;
    each !== undefined && !seen.has(each);
    each = byId.get(each.parent)
  ) seen.add(each);
  return new Set([...seen].flatMap(({ marks }) => marks));
}

/**
 * Whether the server that `mark` names is gone, seen from a process that carries it: nobody has its
 * id, or somebody younger than what it started.
 */
function isDead(mark: string, carrier: Process, byId: ReadonlyMap<number, Process>): boolean {
  const holder = byId.get(serverOf(mark).pid);
  return holder === undefined || holder.age < carrier.age;
}
