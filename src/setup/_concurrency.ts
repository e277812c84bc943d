/** Runs work on many items, a few at a time, as each starts a program. */

/** Programs that run at once. */
const concurrency = 4;

/** Runs `work` on each of `items`. */
export async function runConcurrently<T>(
  items: Iterable<T>,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const rest = items[Symbol.iterator]();
  const queue = { [Symbol.iterator]: () => rest };
  await Promise.all(Array.from({ length: concurrency }, async () => {
    for (const item of queue) await work(item);
  }));
}
