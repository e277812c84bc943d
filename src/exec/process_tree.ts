/**
 * Ends a process tree, whose processes may fork meanwhile: SIGTERM, the grace period, SIGKILL, until a listing has none.
 *
 * Finding it takes `ps`, ending it an unrestricted `--allow-run` or `kill`. Without the first, only the session of the
 * program is ended; without the second, only the program itself. A log line says so. On Windows, `taskkill /T` walks
 * the tree.
 */

import { deadline, delay } from "../async/deadline.ts";
import { log } from "../log.ts";
import type { CreatedName, Invocation } from "./invocation.ts";
import { runOwnProgram } from "./find_program.ts";
import type { RunningProgram } from "./program_thread.ts";
import { listMembers, type Root } from "./processes.ts";
import { trackBackground } from "./background_work.ts";

/** Ends a sandbox. One of the two methods is called, by the kind of its program. */
export interface SandboxEnd {
  /** True if the kernel ends all processes of the sandbox with the first one. */
  readonly endsProcesses: boolean;
  endCall(): readonly CreatedName[] | Promise<readonly CreatedName[]>;
  endServer(program: string): void;
}

/** A program that was started, and may have ended since. */
export interface Started extends Omit<Root, "pid"> {
  readonly child: RunningProgram;
  readonly sandbox?: SandboxEnd;
  /** The paths with names of credentials that the program neither reads nor stores. */
  readonly leftOut?: readonly string[] | Promise<readonly string[]>;
  /** A line about the output that the output itself lacks. */
  readonly note?: string | undefined;
  /** The invocation that was started instead of the given one. */
  readonly prepared?: Invocation;
}

interface EndTreeOptions {
  readonly graceMs: number;
  /** The grace period ends early when this signal aborts. */
  readonly forceSignal?: AbortSignal | undefined;
}

/** Sends SIGTERM to the processes of `started`, and SIGKILL after the grace period. Resolves when none is left, or soon after. */
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

/** The end of a killed process is known within this many milliseconds. */
const killedMs = 300;

/** The kernel ends a namespace with its first process, and that with `child`: SIGKILL needs no other process. */
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
  // The whole group gets the signal too, which a fork cannot escape
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
  // The id of an ended program may be that of another process
  if (hasEnded()) return;
  const args = ["/T", "/F", "/PID", String(child.pid)];
  try {
    await runOwnProgram("taskkill", args);
  } catch {
    // The program itself can be ended without that permission
  }
  signalChild(child, "SIGKILL");
  await deadline(child.status, killedMs);
}

function signalChild(child: RunningProgram, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch {
    // The program has ended
  }
}

/**
 * A shell program that signals everything below the process of its argument. Without it, the programs of a sandbox get SIGKILL at
 * once instead of SIGTERM, since Deno cannot read `/proc`. It fails if it finds no process, and not if one has ended since.
 */
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
 * Sends SIGTERM to the programs of a sandbox, for at most `limitMs`, and returns whether there were any. The process that was
 * started only watches them: a signal to it would end everything at once. So a shell follows the kernel's lists of children.
 */
async function terminateSandbox(pid: number, limitMs: number): Promise<boolean> {
  try {
    const args = ["-c", script, "sh", String(pid)];
    return await runOwnProgram("sh", args, AbortSignal.timeout(limitMs));
  } catch {
    // The permission is missing, or the table of processes has no place left
    return false;
  }
}

/** Two listings are the first number of milliseconds apart, later up to the second. */
const firstPollMs = 20;
const maxPollMs = 160;

/** New processes are also killed for this many milliseconds. */
const killMs = 5000;

/** The result waits this many milliseconds for the kill; the rest of it happens in the background. */
const resultMs = 300;

export interface Targets {
  /** The ids of processes, and those of process groups as negative numbers. */
  readonly ids: readonly number[];
  /** False if the processes cannot be listed: the groups may have more. */
  readonly listed: boolean;
}

interface EndOptions {
  readonly graceMs: number;
  /** The grace period ends early when this signal aborts. */
  readonly forceSignal?: AbortSignal | undefined;
  /** Resolves when a process may have ended, so that the processes should be listed again. */
  readonly event?: Promise<unknown> | undefined;
  /** Called if some processes are left at the end. */
  readonly onLeft: () => void;
}

/** Ends the processes that `list` returns, until none is left or the grace period is over; `denied` if forbidden. */
export async function endProcesses(
  list: () => Promise<Targets>,
  { graceMs, forceSignal, event, onLeft }: EndOptions,
): Promise<"done" | "denied"> {
  const end = performance.now() + graceMs;
  const signalled = new Set<number>();
  let happened = event === undefined;
  const happening = event?.then(() => happened = true);
  let pollMs = firstPollMs;
  do {
    const { ids, listed } = await listTwice(list);
    if (ids.length === 0) return "done";
    // Processes forked since the last listing have not received the signal
    const fresh = ids.filter((id) => !signalled.has(id));
    fresh.forEach((id) => signalled.add(id));
    await sendSignal(fresh, "SIGTERM");
    // A stopped process handles SIGTERM only when it continues
    const delivery = await sendSignal(ids, "SIGCONT");
    // If processes can be listed, the ended ones may have left others
    if (delivery === "all gone" && !listed) return "done";
    if (delivery === "denied") return "denied";
    const wait = delay(Math.min(pollMs, Math.max(0, end - performance.now())), forceSignal);
    await (happened ? wait : Promise.race([happening, wait]));
    pollMs = Math.min(2 * pollMs, maxPollMs);
  } while (performance.now() < end && !forceSignal?.aborted);
  await deadline(trackBackground(killAll(list, onLeft)), resultMs);
  return "done";
}

/** Lists again if nothing was found: processes in `exec` show no variables, and new ones are not listed. */
async function listTwice(list: () => Promise<Targets>): Promise<Targets> {
  const first = await list();
  return first.ids.length > 0 ? first : await list();
}

async function killAll(list: () => Promise<Targets>, onLeft: () => void): Promise<void> {
  const end = performance.now() + killMs;
  do {
    const { ids, listed } = await listTwice(list);
    if (ids.length === 0) return;
    await sendSignal(ids, "SIGKILL");
    if (!listed) return;
    await delay(firstPollMs);
  } while (performance.now() < end);
  onLeft();
}

/** One `kill` gets at most this many processes. */
const maxAtOnce = 1000;

type EndingSignal = "SIGTERM" | "SIGCONT" | "SIGKILL";

type Delivery = "sent" | "all gone" | "denied";

/**
 * Signals `targets`; groups are negative numbers, and ended processes are ignored. Without the permission to run every
 * program, `kill` sends the signal.
 */
async function sendSignal(targets: readonly number[], signal: EndingSignal): Promise<Delivery> {
  let missing = 0;
  for (const [index, target] of targets.entries()) {
    try {
      Deno.kill(target, signal);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) missing++;
      if (error instanceof Deno.errors.NotCapable) {
        return await sendByProgram(targets.slice(index), signal);
      }
    }
  }
  return missing === targets.length ? "all gone" : "sent";
}

async function sendByProgram(targets: readonly number[], signal: EndingSignal): Promise<Delivery> {
  const name = `-${signal.slice("SIG".length)}`;
  let isSent = false;
  try {
    for (let from = 0; from < targets.length; from += maxAtOnce) {
      const some = targets.slice(from, from + maxAtOnce).map(String);
      const success = await runOwnProgram("kill", [name, "--", ...some]);
      // `kill` fails if one of several is gone
      isSent ||= success || some.length > 1;
    }
    return isSent ? "sent" : "all gone";
  } catch {
    return "denied";
  }
}
