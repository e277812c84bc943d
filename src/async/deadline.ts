/**
 * Waits with a timeout or a signal. Unlike the functions of `@std/async` with these names, these return why the
 * wait ended and do not throw.
 */

import { type Clock, systemClock } from "./clock.ts";

/** The reason why a wait ended before the work. */
export type Interruption = "timed out" | "aborted";

/**
 * Waits for `work`, at most `ms` milliseconds and until `signal` aborts. The work itself is not ended.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(await deadline(Promise.withResolvers().promise, 1), "timed out");
 * ```
 */
export function deadline<T>(
  work: Promise<T>,
  ms: number,
  signal?: AbortSignal,
  clock?: Clock,
): Promise<T | Interruption> {
  return interruptible(work, { ms, signal, clock });
}

/** Waits for `work` until `signal` aborts. */
export async function abortable<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T | "aborted"> {
  return await interruptible(work, { signal }) as T | "aborted";
}

/** Waits `ms` milliseconds, or until `signal` aborts. */
export async function delay(ms: number, signal?: AbortSignal, clock?: Clock): Promise<void> {
  await interruptible(new Promise<never>(() => {}), { ms, signal, clock });
}

interface Interruptions {
  readonly ms?: number;
  readonly signal: AbortSignal | undefined;
  readonly clock?: Clock | undefined;
}

function interruptible<T>(
  work: Promise<T>,
  { ms, signal, clock = systemClock }: Interruptions,
): Promise<T | Interruption> {
  return new Promise((resolve, reject) => {
    const end = () => {
      cancel?.();
      signal?.removeEventListener("abort", onAbort);
    };
    const interrupt = (reason: Interruption) => {
      end();
      resolve(reason);
    };
    const onAbort = () => interrupt("aborted");
    const cancel = ms === undefined ? undefined : clock.after(ms, () => interrupt("timed out"));
    if (signal?.aborted) onAbort();
    else signal?.addEventListener("abort", onAbort, { once: true });
    work.then((value) => {
      end();
      resolve(value);
    }, (error) => {
      end();
      reject(error);
    });
  });
}

/**
 * Runs one spawn, or one other long step, in each turn of the event loop. A spawn blocks the loop for most of a
 * millisecond; when many calls start in a row, answers and cancellations would wait for all of them.
 */
let busy = false;
const waiting: (() => void)[] = [];

/** Resolves in a turn of the caller; at once if the current turn is unused. */
export function yieldToEventLoop(): Promise<void> {
  if (busy) return new Promise((resolve) => waiting.push(resolve));
  busy = true;
  setImmediate(next);
  return Promise.resolve();
}

function next(): void {
  const resolve = waiting.shift();
  busy = resolve !== undefined;
  if (resolve === undefined) return;
  setImmediate(next);
  resolve();
}
