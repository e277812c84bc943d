/**
 * Finds the processes of a call: by the mark in their environment where `ps` shows it, otherwise by a session of
 * their own.
 *
 * A session costs a fork of the server, whose time grows with the memory of the server; a mark costs nothing. So
 * sessions are used only until a listing has shown marks, and if the server has a terminal, which its programs must
 * not be able to read from.
 */

import { listingMark, type Process, processes } from "./processes.ts";

/** True when marks alone are enough. */
let marksSuffice = false;

export function needsSession(): boolean {
  return !marksSuffice && Deno.build.os !== "windows";
}

/** Lists the processes, and detects whether marks are shown; nothing if they cannot be listed. */
export async function surveyProcesses(): Promise<readonly Process[] | undefined> {
  const all = await processes();
  const self = all?.find(({ pid }) => pid === Deno.pid);
  marksSuffice = all !== undefined && self?.hasTerminal === false &&
    all.some(({ marks }) => marks.includes(listingMark()));
  return all;
}

export interface Root {
  readonly pid: number;
  readonly mark: string;
  /** True when it leads a session of its own. */
  readonly leads: boolean;
  /** True from when its end is known: its id may be that of another process then. */
  readonly hasEnded: () => boolean;
}

/** The processes of the call of `root`; nothing if they cannot be listed. */
export async function listMembers(root: Root): Promise<readonly Process[] | undefined> {
  const all = await processes();
  if (all !== undefined) return membersOf(root, all);
  // Marks that are no longer shown must not be relied on
  marksSuffice = false;
  return undefined;
}

/**
 * Processes with the mark, those of the session, and their descendants.
 *
 * A process that is listed with the id of a root that has ended is another one, or the root ended during the listing,
 * which the next one shows. Group and session are not used then: no id is given again while a group or a session has it.
 */
export function membersOf(root: Root, all: readonly Process[]): readonly Process[] {
  const isAnother = root.hasEnded() && all.some(({ pid }) => pid === root.pid);
  return withDescendants(all, ({ pid, group, session, marks }) => {
    if (marks.includes(root.mark)) return true;
    if (isAnother) return false;
    return pid === root.pid || (root.leads && (group === root.pid || session === root.pid));
  });
}

/** The `chosen` processes of `all` and their descendants; never this process. */
export function withDescendants(
  all: readonly Process[],
  chosen: (process: Process) => boolean,
): readonly Process[] {
  const children = Map.groupBy(all, ({ parent }) => parent);
  const found = new Set(all.filter(chosen));
  // Iteration includes items that are added during it
  for (const { pid } of found) {
    for (const child of children.get(pid) ?? []) found.add(child);
  }
  return [...found].filter(({ pid }) => pid !== Deno.pid);
}
