/** Ends processes that may fork meanwhile: SIGTERM, the grace period, SIGKILL, until a listing has none. */

import { deadline, delay } from "../async/deadline.ts";
import { trackBackground } from "./background_work.ts";
import { runOwnProgram } from "./find_program.ts";

/** First and longest delay between two listings, in milliseconds. */
const firstPollMs = 20;
const maxPollMs = 160;

/** Milliseconds during which new processes are killed too. */
const killMs = 5000;

/** The result waits for this many milliseconds of these; the rest passes in the background. */
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

/** Ends the processes that `list` returns, until it returns none, or the grace period is over; `denied` without permission. */
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
    // If they can be listed, the ended ones may have left others
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
 * Signals `targets`; groups are negative numbers, and ended processes are ignored. Without the permission to run every program,
 * `kill` sends the signal.
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
