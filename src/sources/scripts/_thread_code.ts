/** Locates the code of the thread of a VM. A bundle has another module in its place. */

export function threadUrl(): string {
  return new URL("./_thread.ts", import.meta.url).href;
}
