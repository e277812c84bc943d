/** Finds programs whose server has ended without ending them: the mark of a program names its server. */

import { log } from "../log.ts";
import { plural } from "../text/plural.ts";
import { endProcesses } from "./end_processes.ts";
import {
  type Process,
  processes,
  serverOf,
  surveyProcesses,
  warnUnlisted,
  withDescendants,
} from "./processes.ts";

/** A log line names this many processes at most. */
const maxShown = 10;

interface OrphanScanOptions {
  /** Ends them in addition to logging. */
  readonly reap: boolean;
  readonly graceMs: number;
}

/** Logs or ends the orphans of servers of this user. */
export async function scanOrphans({ reap, graceMs }: OrphanScanOptions): Promise<void> {
  if (Deno.build.os === "windows") return;
  const all = await surveyProcesses();
  if (all === undefined) {
    if (reap) warnUnlisted();
    return;
  }
  const found = findOrphans(all);
  if (found.length === 0) return;
  const count = `${plural(found.length, "program")} left over from an earlier climax`;
  const names = found.slice(0, maxShown).map(({ pid, name }) => `${pid} (${name})`).join(", ");
  const more = found.length > maxShown ? " …" : "";
  if (!reap) {
    log(
      "warning",
      `${count}: ${names}${more}; start with --kill-orphans to end them`,
    );
    return;
  }
  log("warning", `Ending ${count}: ${names}${more}`);
  const list = async () => {
    const now = await processes();
    return { ids: findOrphans(now ?? []).map(({ pid }) => pid), listed: now !== undefined };
  };
  const onLeft = () => log("warning", "Some of them still run");
  if (await endProcesses(list, { graceMs, onLeft }) === "denied") {
    log("warning", "They still run: ending them takes --allow-run=kill or all of --allow-run");
  }
}

/** Returns the processes whose marks name a server of this user that has ended. */
export function findOrphans(all: readonly Process[]): readonly Process[] {
  const self = all.find(({ pid }) => pid === Deno.pid);
  if (self === undefined) return [];
  const isOurs = ({ user, space }: Process) => user === self.user && space === self.space;
  const byId = new Map(all.map((process) => [process.pid, process]));
  const outer = outerMarks(self, byId);
  const dead = new Set(
    all.filter(isOurs).flatMap((process) => {
      return process.marks.filter((mark) => isDead(mark, process, byId) && !outer.has(mark));
    }),
  );
  return withDescendants(all, ({ marks }) => marks.some((mark) => dead.has(mark))).filter(isOurs);
}

/** Returns the marks of `self` and its ancestors, whose processes this scan must not end. */
function outerMarks(self: Process, byId: ReadonlyMap<number, Process>): ReadonlySet<string> {
  const seen = new Set<Process>();
  for (
    let each: Process | undefined = self;
    each !== undefined && !seen.has(each);
    each = byId.get(each.parent)
  ) seen.add(each);
  return new Set([...seen].flatMap(({ marks }) => marks));
}

/** Returns whether the server of `mark` has ended: its id is unused, or of a process younger than the marked one. */
function isDead(mark: string, carrier: Process, byId: ReadonlyMap<number, Process>): boolean {
  const holder = byId.get(serverOf(mark));
  return holder === undefined || holder.age < carrier.age;
}
