/** Where the code of a thread is. A bundle has another module in the place of this one. */

/** The URL of the module, for one thread to load, and how to let go of it. */
export async function threadCode(): Promise<{ readonly url: string; release(): void }> {
  return await Promise.resolve({
    url: new URL("./_apart_worker.ts", import.meta.url).href,
    release: () => {},
  });
}
