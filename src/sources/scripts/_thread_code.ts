/** Locates the code of the thread of a VM. A bundle replaces this module. */

export function threadUrl(): string {
  return new URL("./_thread.ts", import.meta.url).href;
}
