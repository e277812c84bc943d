/** Tracks work for which a result did not wait, so that a server can wait for it at its end. */

const underWay = new Set<Promise<unknown>>();

/** Keeps `work`, which never rejects, until it has ended. */
export function trackBackground<T>(work: Promise<T>): Promise<T> {
  underWay.add(work);
  void work.finally(() => underWay.delete(work));
  return work;
}

export async function flushBackground(): Promise<void> {
  await Promise.all(underWay);
}
