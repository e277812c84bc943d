/** Command lines as help and documents show them. */

/** The words of a line that quotes with `'` at most. */
export function wordsOf(line: string): string[] {
  return line.match(/(?:[^\s']|'[^']*')+/g)!.map((word) => word.replaceAll("'", ""));
}
