/** Formats a number with its noun. */

/** `1 tool`, `2 tools`. */
export function plural(count: number, noun: string): string {
  return `${count} ${nounOf(count, noun)}`;
}

/** The same with separators: `12,345 lines`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${nounOf(count, noun)}`;
}

function nounOf(count: number, noun: string): string {
  return count === 1 ? noun : `${noun}s`;
}
