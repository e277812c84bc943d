/**
 * Ends a program and the processes that it started: first it asks them to end, and after a grace period it kills them.
 * On Windows it kills them at once.
 */

import { deadline, delay } from "../async/deadline.ts";
import { log } from "../log.ts";
import type { CreatedName, Invocation } from "./invocation.ts";
import { rootFolder } from "../process/folders.ts";
import { ask, notFoundCode } from "./ask_program.ts";
import { ownProgram } from "./find_program.ts";
import type { RunningProgram } from "./program_thread.ts";
import { listMembers, type Root } from "./processes.ts";
import { trackBackground } from "./background_work.ts";

export interface SandboxEnd {
  /** True if the kernel ends all processes of the sandbox with the first one. */
  readonly endsProcesses: boolean;
  endCall(): readonly CreatedName[] | Promise<readonly CreatedName[]>;
  endServer(program: string): void;
}

export interface Started extends Omit<Root, "pid"> {
  readonly child: RunningProgram;
  readonly sandbox?: SandboxEnd;
  readonly leftOut?: readonly string[] | Promise<readonly string[]>;
  readonly note?: string | undefined;
  readonly prepared?: Invocation;
}

interface EndTreeOptions {
  readonly graceMs: number;
  readonly forceSignal?: AbortSignal | undefined;
}

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

/** A call waits for the end of killed processes for at most this many milliseconds. */
const killedMs = 300;

/** Ends a sandbox. SIGKILL for `child` ends the first process of the namespace, and so all its processes. */
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
  // The group gets the signal as a whole, so that a process forked meanwhile gets it too
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
  // After the end of the program, its id may belong to another process, which must not be killed
  if (hasEnded()) return;
  await ask(ownProgram("taskkill"), ["/T", "/F", "/PID", String(child.pid)]);
  signalChild(child, "SIGKILL");
  await deadline(child.status, killedMs);
}

function signalChild(child: RunningProgram, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch {
    // `kill` throws if the program has ended already, which is no fault
  }
}

/** A shell program that asks all processes below the one in its argument to end, because Deno cannot read `/proc`. */
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

/** Sends SIGTERM to the programs in a sandbox: bubblewrap itself would end them all at once if it got the signal. */
async function terminateSandbox(pid: number, limitMs: number): Promise<boolean> {
  const args = ["-c", script, "sh", String(pid)];
  return (await ask(ownProgram("sh"), args, rootFolder, {}, { limit: limitMs })).ok;
}

/** The first and the longest wait, in milliseconds, before the processes of an ending tree are listed again. */
const [firstPollMs, maxPollMs] = [20, 160];

/** Processes are listed and killed again for this many milliseconds, because one may fork before it is killed. */
const killMs = 5000;

export interface Targets {
  /** The processes to end, by their ids, and groups of processes, as negative numbers. */
  readonly ids: readonly number[];
  /** False if processes cannot be listed: then only the groups of known processes are in `ids`. */
  readonly listed: boolean;
}

interface EndOptions extends EndTreeOptions {
  /** Resolves when a process may have ended, so that the processes should be listed again. */
  readonly event?: Promise<unknown> | undefined;
  readonly onLeft: () => void;
}

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
    // Only processes that were forked since the last listing still need the signal
    const fresh = ids.filter((id) => !signalled.has(id));
    fresh.forEach((id) => signalled.add(id));
    await sendSignal(fresh, "SIGTERM");
    // A stopped process handles SIGTERM only when it continues, so it gets SIGCONT too
    const delivery = await sendSignal(ids, "SIGCONT");
    if (delivery === "all gone" && !listed) return "done";
    if (delivery === "denied") return "denied";
    const wait = delay(Math.min(pollMs, Math.max(0, end - performance.now())), forceSignal);
    await (happened ? wait : Promise.race([happening, wait]));
    pollMs = Math.min(2 * pollMs, maxPollMs);
  } while (performance.now() < end && !forceSignal?.aborted);
  await deadline(trackBackground(killAll(list, onLeft)), killedMs);
  return "done";
}

/** Lists again if nothing was found, because a listing can miss a process that is new or is starting a program. */
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

type Delivery = "sent" | "all gone" | "denied";

async function sendSignal(targets: readonly number[], signal: Deno.Signal): Promise<Delivery> {
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

async function sendByProgram(targets: readonly number[], signal: Deno.Signal): Promise<Delivery> {
  const name = `-${signal.slice("SIG".length)}`;
  const { ok, code } = await ask(ownProgram("kill"), [name, "--", ...targets.map(String)]);
  if (code === undefined || code === notFoundCode) return "denied";
  return ok || targets.length > 1 ? "sent" : "all gone";
}
