/** Work that goes on behind a result that did not wait for it, and that a server's end waits for. */

const underWay = new Set<Promise<unknown>>();

/** Lets `work`, which never rejects, go on; returns it. */
export function behind<T>(work: Promise<T>): Promise<T> {
  underWay.add(work);
  void work.finally(() => underWay.delete(work));
  return work;
}

/** Waits for all of it. */
export async function allBehind(): Promise<void> {
  await Promise.all(underWay);
}
