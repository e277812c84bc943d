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
