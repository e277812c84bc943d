/**
 * One spawn, or one call that is as long, for each turn of the event loop. A spawn holds the loop up for
 * most of a millisecond; when many programs end at once, as many would be started in a row, and whatever
 * else there is, answers and cancellations among them, would wait for all of them.
 */

let busy = false;
const waiting: (() => void)[] = [];

/** Resolves when this turn is the caller's; at once where nobody had it. */
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
