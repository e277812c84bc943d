/** Finds the code of the thread of a script. A bundle has that code in another file, and replaces this module. */

export function threadUrl(): string {
  return new URL("./_thread.ts", import.meta.url).href;
}
