/** Waits with a timeout or an abort signal, lets other work run in between, and counts unfinished work. */

import { nextTurn } from "../text/lines.ts";
import { type Clock, systemClock } from "./clock.ts";

type Interruption = "timed out" | "aborted";

/** Waits for `work`, at most `ms` milliseconds (if given) and until `signal` aborts. The work itself goes on. */
export function deadline<T>(
  work: Promise<T>,
  ms: number | undefined,
  signal?: AbortSignal,
  clock: Clock = systemClock,
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

export async function abortable<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T | "aborted"> {
  return await deadline(work, undefined, signal) as T | "aborted";
}

export async function delay(ms: number, signal?: AbortSignal, clock?: Clock): Promise<void> {
  await deadline(new Promise<never>(() => {}), ms, signal, clock);
}

let busy = false;
const waiting: (() => void)[] = [];

/** Resolves in the first turn of the event loop that no other caller uses, which may be the present turn. */
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

/** A loop over untrusted input lets other work go on after this many milliseconds. */
const turnMs = 10;

export async function* yielding<T>(items: Iterable<T> | AsyncIterable<T>): AsyncGenerator<T> {
  let began = performance.now();
  for await (const item of items) {
    if (performance.now() - began > turnMs) {
      await nextTurn();
      began = performance.now();
    }
    yield item;
  }
}

export class PendingWork {
  #count = 0;
  #settled = Promise.withResolvers<void>();

  add(work: Promise<unknown>): void {
    this.#count++;
    const end = () => {
      if (--this.#count > 0) return;
      this.#settled.resolve();
      this.#settled = Promise.withResolvers();
    };
    work.then(end, end);
  }

  async settled(): Promise<void> {
    while (this.#count > 0) await this.#settled.promise;
  }
}

/**
 * Links short-lived signals, such as those of calls, to a long-lived one. With `AbortSignal.any`, which adds a listener
 * to the long-lived signal for each, 50,000 waiting calls took 5 seconds.
 */
export class FollowedSignal {
  readonly signal: AbortSignal;
  readonly #followers = new Set<(reason: unknown) => void>();

  constructor(signal: AbortSignal) {
    this.signal = signal;
    signal.addEventListener("abort", () => {
      for (const abort of this.#followers) abort(signal.reason);
    }, { once: true });
  }

  /** Returns a signal that aborts when {@linkcode signal} or `other` does, until `unfollow` is called. */
  linkSignal(other: AbortSignal): { readonly signal: AbortSignal; unfollow(): void } {
    const controller = new AbortController();
    const abort = (reason: unknown) => {
      unfollow();
      controller.abort(reason);
    };
    const onAbort = () => abort(other.reason);
    const unfollow = () => {
      other.removeEventListener("abort", onAbort);
      this.#followers.delete(abort);
    };
    other.addEventListener("abort", onAbort, { once: true });
    this.#followers.add(abort);
    const first = [this.signal, other].find(({ aborted }) => aborted);
    if (first !== undefined) abort(first.reason);
    return { signal: controller.signal, unfollow };
  }
}
