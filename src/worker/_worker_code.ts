/** Names the file with the code of workers. The build of a bundle replaces this module, as a bundle has no such file. */

export function threadUrl(): string {
  return new URL("./_worker.ts", import.meta.url).href;
}
