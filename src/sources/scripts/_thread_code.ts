/** Locates the code of the thread of a room. A bundle replaces this module. */

export function scriptThreadUrl(): string {
  return new URL("./_thread.ts", import.meta.url).href;
}
