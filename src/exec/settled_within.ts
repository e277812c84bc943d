/** Waits for something that may never come. */

/** Waits until `work` has settled, but no longer than `ms` milliseconds. */
export async function settledWithin(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => timer = setTimeout(resolve, ms));
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
