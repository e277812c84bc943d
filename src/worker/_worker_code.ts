/** Locates the code of a worker. A bundle replaces this module. */

export function threadUrl(): string {
  return new URL("./_worker.ts", import.meta.url).href;
}
