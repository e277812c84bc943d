/** Work on many things, a few at a time: each is a program that is started. */

/** Programs that run at once. */
const concurrency = 4;

/** Does `work` with each of `items`. */
export async function inTurns<T>(
  items: Iterable<T>,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const rest = items[Symbol.iterator]();
  const queue = { [Symbol.iterator]: () => rest };
  await Promise.all(Array.from({ length: concurrency }, async () => {
    for (const item of queue) await work(item);
  }));
}
