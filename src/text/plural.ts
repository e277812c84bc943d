/** Formats numbers for texts in English, such as `1 tool` and `12,345 tools`. */

export function plural(count: number, noun: string): string {
  return `${thousands(count)} ${count === 1 ? noun : `${noun}s`}`;
}

/** Returns `12,345`. `toLocaleString()` would do so too, but its first call takes 10 ms. */
export function thousands(count: number): string {
  const digits = String(count);
  const first = digits.length % 3 || 3;
  return [digits.slice(0, first), ...digits.slice(first).match(/\d{3}/g) ?? []].join(",");
}
