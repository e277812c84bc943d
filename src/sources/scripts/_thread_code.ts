/** Returns where the code of the VM's thread is. A bundle replaces this module, since its files are elsewhere. */

export function threadUrl(): string {
  return new URL("./_thread.ts", import.meta.url).href;
}
