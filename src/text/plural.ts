/** Formats a number with its noun. */

/** Returns `1 tool`, `2 tools` or `12,345 tools`. */
export function plural(count: number, noun: string): string {
  return `${thousands(count)} ${count === 1 ? noun : `${noun}s`}`;
}

/** Returns `12,345`. The first use of `toLocaleString()` takes 10 ms, which a start would wait for. */
export function thousands(count: number): string {
  const digits = String(count);
  const first = digits.length % 3 || 3;
  return [digits.slice(0, first), ...digits.slice(first).match(/\d{3}/g) ?? []].join(",");
}
