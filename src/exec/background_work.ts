/** Tracks work that goes on after its call has a result, so that a server can wait for the work before it ends. */

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
