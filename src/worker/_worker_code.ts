/** Where the code of a thread is. A bundle has another module in the place of this one. */

/** The URL of the module that a thread loads. */
export function threadUrl(): string {
  return new URL("./_worker.ts", import.meta.url).href;
}
