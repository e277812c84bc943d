/**
 * Ends a process tree.
 *
 * Finding it takes `ps`, ending it an unrestricted `--allow-run` or `kill`. Without the first, only the session of the
 * program is ended; without the second, only the program itself. A log line says so. On Windows, `taskkill /T` walks
 * the tree.
 */

import { deadline } from "../async/deadline.ts";
import { log } from "../log.ts";
import type { CreatedName } from "./invocation.ts";
import { endProcesses, type Targets } from "./end_processes.ts";
import { runOwnProgram } from "./find_program.ts";
import type { RunningProgram } from "./program_thread.ts";
import { listMembers, type Root } from "./processes.ts";

/** What is left to do at the end of a sandbox: one of the two. */
export interface SandboxEnd {
  /** True if the kernel ends all of its processes with the first one. */
  readonly endsProcesses: boolean;
  endCall(): readonly CreatedName[] | Promise<readonly CreatedName[]>;
  endServer(program: string): void;
}

/** It may have ended since. */
export interface Started extends Omit<Root, "pid"> {
  readonly child: RunningProgram;
  readonly sandbox?: SandboxEnd;
  /** Paths with the name of a credential that git does not read or take in. */
  readonly leftOut?: readonly string[];
}

interface EndTreeOptions {
  readonly graceMs: number;
  /** Ends the grace period when it aborts. */
  readonly forceSignal?: AbortSignal | undefined;
}

/** Sends SIGTERM to `started`, SIGKILL after the grace period. Resolves when none is found, or shortly after. */
export async function endTree(started: Started, options: EndTreeOptions): Promise<void> {
  const { child } = started;
  if (started.sandbox?.endsProcesses) return await endSandbox(started, options);
  if (Deno.build.os === "windows") return await endTreeOnWindows(started);
  const result = await endProcesses(() => listTargets(started), {
    ...options,
    event: child.status,
    onLeft: () => log("warning", `Programs that process ${child.pid} started may still run`),
  });
  if (result === "denied") await endChildOnly(child, options);
}

/** Milliseconds until the end of a killed process is known. */
const killedMs = 300;

/** The kernel ends a namespace with its first process, and that with `child`: no process needs to be found for SIGKILL. */
async function endSandbox({ child, hasEnded }: Started, { graceMs, forceSignal }: EndTreeOptions) {
  if (hasEnded()) return;
  const begin = performance.now();
  if (!forceSignal?.aborted && await terminateSandbox(child.pid, graceMs)) {
    await deadline(child.status, graceMs - (performance.now() - begin), forceSignal);
  }
  signalChild(child, "SIGKILL");
  await deadline(child.status, killedMs);
}

async function listTargets({ child: { pid }, ...rest }: Started): Promise<Targets> {
  const { leads, hasEnded } = rest;
  const members = await listMembers({ ...rest, pid });
  if (members === undefined) {
    const ids = leads ? [-pid] : hasEnded() ? [] : [pid];
    return { ids, listed: false };
  }
  // The whole group gets the signal too: a fork cannot escape that
  const hasGroup = leads && members.some(({ group }) => group === pid);
  return { ids: [...hasGroup ? [-pid] : [], ...members.map(({ pid }) => pid)], listed: true };
}

async function endChildOnly(child: RunningProgram, { graceMs, forceSignal }: EndTreeOptions) {
  log(
    "warning",
    `Process ${child.pid} is ended, but programs it started may still run: ending a whole tree ` +
      "takes the same user, and --allow-run=kill,ps or an unrestricted --allow-run",
  );
  signalChild(child, "SIGTERM");
  const ended = await deadline(child.status, graceMs, forceSignal);
  if (typeof ended === "string") signalChild(child, "SIGKILL");
}

async function endTreeOnWindows({ child, hasEnded }: Started): Promise<void> {
  // Its id may be that of another process
  if (hasEnded()) return;
  const args = ["/T", "/F", "/PID", String(child.pid)];
  try {
    await runOwnProgram("taskkill", args);
  } catch {
    // The program itself can be ended without it
  }
  signalChild(child, "SIGKILL");
  await deadline(child.status, killedMs);
}

function signalChild(child: RunningProgram, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch {
    // It has ended
  }
}

/** Signals everything below the process of its argument; it fails where nothing is found, not where one has ended since. */
const script = `found=
walk() {
  for list in /proc/"$1"/task/*/children; do
    children=
    read -r children <"$list"
    found="$found $children"
    for each in $children; do walk "$each"; done
  done
}
walk "$1"
set -- $found
[ $# -gt 1 ] && { kill -TERM "$@"; kill -CONT "$@"; :; }`;

/**
 * Asks the programs of a sandbox to end, as those of a plain call are asked. The process that is started only watches:
 * a signal to it would end everything at once. So a shell, without which there is no sandbox, follows the lists of
 * children that the kernel has. Sends SIGTERM to all processes of it, at most for `limitMs`; false if none was found.
 */
async function terminateSandbox(pid: number, limitMs: number): Promise<boolean> {
  try {
    const args = ["-c", script, "sh", String(pid)];
    return await runOwnProgram("sh", args, AbortSignal.timeout(limitMs));
  } catch {
    // Without permission, or without a place in the table of processes
    return false;
  }
}
