/**
 * Ends a program together with everything it started.
 *
 * A program is started as the leader of a process group of its own (`detached`), so that one signal
 * reaches its whole tree. Signalling a group takes Deno's unrestricted `--allow-run`, or the right
 * to run the `kill` program; without either only the program itself is ended, and a log line says
 * so. Windows has no groups: `taskkill /T` walks the tree there.
 */

import { setTimeout as wait } from "node:timers/promises";
import { log } from "../log.ts";

/** Milliseconds until a group that is ending is looked at again, at first and at most. */
const firstPollMs = 20;
const maxPollMs = 160;

/** What became of a signal to a group. */
type Delivery = "delivered" | "gone" | "denied";

/** Settings of {@linkcode endTree}. */
export interface EndOptions {
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  /** Ends the grace when it aborts. */
  readonly hurry?: AbortSignal | undefined;
}

/**
 * Asks the tree of `child` to end, and makes it end when it has not within the grace. Resolves when
 * the child has ended and, as far as that can be seen, its group is empty.
 */
export async function endTree(child: Deno.ChildProcess, options: EndOptions): Promise<void> {
  if (Deno.build.os === "windows") return await endTreeOnWindows(child);
  const { graceMs, hurry } = options;
  const deadline = performance.now() + graceMs;
  const delivery = await signalGroup(child.pid, "SIGTERM");
  if (delivery === "denied") return await endChildOnly(child, options);
  let childEnded = false;
  void child.status.then(() => childEnded = true);

  let pollMs = firstPollMs;
  while (performance.now() < deadline && !hurry?.aborted) {
    // SIGCONT lets a stopped process act on its SIGTERM, and tells whether any is left
    if (await signalGroup(child.pid, "SIGCONT") === "gone") return;
    if (childEnded && await hasOnlyZombies(child.pid)) return;
    await delay(Math.min(pollMs, Math.max(0, deadline - performance.now())), hurry);
    pollMs = Math.min(2 * pollMs, maxPollMs);
  }
  await signalGroup(child.pid, "SIGKILL");
}

/**
 * Whether nothing in `group` runs any more, though it is there: in a container the first process may
 * be late to collect orphans, or never do it. Without a `ps` that tells, it counts as running.
 */
async function hasOnlyZombies(group: number): Promise<boolean> {
  try {
    const args = ["-A", "-o", "pgid=,stat="];
    const { success, stdout } = await new Deno.Command("ps", { args, stderr: "null" }).output();
    const members = new TextDecoder().decode(stdout).split("\n")
      .map((line) => line.trim().split(/\s+/))
      .filter(([pgid]) => pgid === String(group));
    return success && members.every(([, state]) => state?.startsWith("Z"));
  } catch {
    return false;
  }
}

async function endChildOnly(
  child: Deno.ChildProcess,
  { graceMs, hurry }: EndOptions,
): Promise<void> {
  log(
    "warning",
    `Process ${child.pid} is ended, but programs it started may live on: ending a whole tree ` +
      "takes the same user, and --allow-run=kill or an unrestricted --allow-run",
  );
  signalChild(child, "SIGTERM");
  const ended = await Promise.race([child.status.then(() => true), delay(graceMs, hurry)]);
  if (ended !== true) signalChild(child, "SIGKILL");
}

async function endTreeOnWindows(child: Deno.ChildProcess): Promise<void> {
  const args = ["/T", "/F", "/PID", String(child.pid)];
  try {
    await new Deno.Command("taskkill", { args, stdout: "null", stderr: "null" }).output();
  } catch {
    signalChild(child, "SIGKILL");
  }
}

async function signalGroup(group: number, signal: Deno.Signal): Promise<Delivery> {
  try {
    Deno.kill(-group, signal);
    return "delivered";
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "gone";
    if (!(error instanceof Deno.errors.NotCapable)) return "denied";
  }
  try {
    const args = [`-${signal.slice("SIG".length)}`, "--", `-${group}`];
    const { success } = await new Deno.Command("kill", { args, stdout: "null", stderr: "null" })
      .output();
    return success ? "delivered" : "gone";
  } catch {
    return "denied";
  }
}

function signalChild(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch {
    // It has ended by itself
  }
}

/** Waits, but no longer than until `hurry` aborts. */
async function delay(ms: number, hurry?: AbortSignal): Promise<void> {
  await wait(ms, undefined, hurry === undefined ? {} : { signal: hurry }).catch(() => {});
}
