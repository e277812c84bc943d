/** Finds the code of a script's thread. The build replaces this module, as a bundle has that code elsewhere. */

export function threadUrl(): string {
  return new URL("./_thread.ts", import.meta.url).href;
}
