/**
 * How the programs of a call are found again: by the mark in their environment where `ps` shows it,
 * and by a session of their own where it does not.
 *
 * A session of its own costs a fork of the server, which takes time with every page the server has;
 * a mark costs nothing. So a session is given only until a listing has shown that marks are seen
 * here, and where the server has a terminal, which its programs must not be able to ask at.
 */

import { listingMark } from "./mark.ts";
import { type Process, processes } from "./processes.ts";

/** Returns whether the processes of calls are found here by their marks alone. */
let marksSuffice = false;

/** Returns whether a program must lead a session of its own. */
export function needsSession(): boolean {
  return !marksSuffice && Deno.build.os !== "windows";
}

/** Lists the processes and learns from it; nothing when they cannot be listed. */
export async function surveyProcesses(): Promise<readonly Process[] | undefined> {
  const all = await processes();
  const self = all?.find(({ pid }) => pid === Deno.pid);
  marksSuffice = all !== undefined && self?.hasTerminal === false &&
    all.some(({ marks }) => marks.includes(listingMark()));
  return all;
}

/** A program that was started for a call. */
export interface Root {
  readonly pid: number;
  readonly mark: string;
  /** True when it leads a session of its own. */
  readonly leads: boolean;
}

/** What belongs to the call of `root` now; nothing when it cannot be listed. */
export async function listMembers(root: Root): Promise<readonly Process[] | undefined> {
  const all = await processes();
  if (all !== undefined) return membersOf(root, all);
  // What is not seen any more must not be relied on
  marksSuffice = false;
  return undefined;
}

/** Which of `all` belong to the call of `root`: what carries its mark, and what descends from that. */
function membersOf(root: Root, all: readonly Process[]): readonly Process[] {
  return withDescendants(all, ({ pid, group, session, marks }) => {
    return pid === root.pid || marks.includes(root.mark) ||
      (root.leads && (group === root.pid || session === root.pid));
  });
}

/** Those of `all` that are `chosen`, and what descends from them; never this process. */
export function withDescendants(
  all: readonly Process[],
  chosen: (process: Process) => boolean,
): readonly Process[] {
  const children = Map.groupBy(all, ({ parent }) => parent);
  const found = new Set(all.filter(chosen));
  // A set hands out what is added while it is walked
  for (const { pid } of found) {
    for (const child of children.get(pid) ?? []) found.add(child);
  }
  return [...found].filter(({ pid }) => pid !== Deno.pid);
}
