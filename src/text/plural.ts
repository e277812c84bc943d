/** Formats a number with its noun. */

/** `1 tool`, `2 tools`, `12,345 tools`. */
export function plural(count: number, noun: string): string {
  return `${thousands(count)} ${count === 1 ? noun : `${noun}s`}`;
}

/** `12,345`. The first use of `toLocaleString()` takes 10 ms, which a start would wait for. */
export function thousands(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}
