/**
 * Ends processes that may fork meanwhile: looks who there is, asks them to end, waits for the grace,
 * makes them end, and looks again until none is left.
 */

import { deadline, delay } from "../async/deadline.ts";
import { trackBackground } from "./background_work.ts";
import { sendSignal } from "./signal.ts";

/** Milliseconds until processes that are ending are looked at again, at first and at most. */
const firstPollMs = 20;
const maxPollMs = 160;

/** Milliseconds for which what forks while it is made to end is made to end again. */
const killMs = 5000;

/** Milliseconds of these that are waited for; the rest passes behind the result. */
const resultMs = 300;

/** The processes to end, at one moment. */
export interface Targets {
  /** Process ids, and groups as negative ones. */
  readonly ids: readonly number[];
  /** True if this is all there is; otherwise more may be in the groups, and nobody can tell. */
  readonly listed: boolean;
}

export interface EndOptions {
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  /** Ends the grace when it aborts. */
  readonly hurry?: AbortSignal | undefined;
  /** A moment at which it is worth looking again. */
  readonly event?: Promise<unknown> | undefined;
  /** Called when some are left at the very end. */
  readonly onLeft: () => void;
}

/**
 * Ends what `look` finds. Resolves when, as far as that can be seen, nothing of it is left, and not
 * much later than the grace whatever is left.
 *
 * @returns whether signals may be sent at all
 */
export async function endProcesses(
  look: () => Promise<Targets>,
  { graceMs, hurry, event, onLeft }: EndOptions,
): Promise<"done" | "denied"> {
  const end = performance.now() + graceMs;
  const asked = new Set<number>();
  let happened = event === undefined;
  const happening = event?.then(() => happened = true);
  let pollMs = firstPollMs;
  do {
    const { ids, listed } = await lookTwice(look);
    if (ids.length === 0) return "done";
    // Processes forked since the last listing have not received the signal
    const fresh = ids.filter((id) => !asked.has(id));
    fresh.forEach((id) => asked.add(id));
    await sendSignal(fresh, "SIGTERM");
    // A stopped process does as it was asked only once it is woken
    const delivery = await sendSignal(ids, "SIGCONT");
    // Where they are listed, those that are gone may have left others
    if (delivery === "all gone" && !listed) return "done";
    if (delivery === "denied") return "denied";
    const wait = delay(Math.min(pollMs, Math.max(0, end - performance.now())), hurry);
    await (happened ? wait : Promise.race([happening, wait]));
    pollMs = Math.min(2 * pollMs, maxPollMs);
  } while (performance.now() < end && !hurry?.aborted);
  await deadline(trackBackground(killAll(look, onLeft)), resultMs);
  return "done";
}

/**
 * Looks again where nothing was found: a process that is becoming another program has no variables
 * for a moment, and one that was forked behind the back of the listing is not in it.
 */
async function lookTwice(look: () => Promise<Targets>): Promise<Targets> {
  const first = await look();
  return first.ids.length > 0 ? first : await look();
}

/** Makes all end, and again what they forked before they did. */
async function killAll(look: () => Promise<Targets>, onLeft: () => void): Promise<void> {
  const end = performance.now() + killMs;
  do {
    const { ids, listed } = await lookTwice(look);
    if (ids.length === 0) return;
    await sendSignal(ids, "SIGKILL");
    if (!listed) return;
    await delay(firstPollMs);
  } while (performance.now() < end);
  onLeft();
}
