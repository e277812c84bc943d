/** Finds the entries with a field that contains the whole query, in any case; all text is one lower-cased string. */

import { sliceSize } from "./_postings.ts";

/** Stands between two fields, and so in none of them: nothing is found across fields. */
const separator = "\0";

/** The lower-cased fields of numbered entries. */
export interface Substrings {
  readonly text: string;
  /** Where each entry begins in `text`, and at the end the length of `text`. */
  readonly starts: Uint32Array;
  readonly longest: number;
}

/** Joins the fields of each entry, to be looked through. */
export function* buildSubstrings<T>(
  entries: readonly T[],
  fieldsOf: (entry: T) => readonly string[],
): Generator<void, Substrings> {
  const starts = new Uint32Array(entries.length + 1);
  const parts: string[] = [];
  let length = 0;
  let longest = 0;
  for (const [number, entry] of entries.entries()) {
    if (number % sliceSize === 0) yield;
    starts[number] = length;
    for (const field of fieldsOf(entry)) {
      // Lower-casing may change a text's length, and what it gives may depend on its neighbours.
      const lowered = withoutSeparator(field.toLowerCase());
      parts.push(lowered, separator);
      length += lowered.length + separator.length;
      longest = Math.max(longest, lowered.length);
    }
  }
  starts[entries.length] = length;
  return { text: parts.join(""), starts, longest };
}

/** The entries of which a field contains `lowered`, which is lower-cased already; ascending. */
export function findContaining({ text, starts, longest }: Substrings, lowered: string): number[] {
  if (lowered.length > longest) return [];
  const needle = withoutSeparator(lowered);
  const found: number[] = [];
  let entry = 0;
  for (let at = text.indexOf(needle); at >= 0 && entry + 1 < starts.length;) {
    while (entry + 2 < starts.length && starts[entry + 1]! <= at) entry++;
    found.push(entry);
    entry++;
    at = text.indexOf(needle, starts[entry]);
  }
  return found;
}

/** Whether the first field of `entry` is `text`, which is lower-cased already. */
export function isFirstField(substrings: Substrings, entry: number, text: string): boolean {
  return substrings.text.startsWith(withoutSeparator(text) + separator, substrings.starts[entry]);
}

function withoutSeparator(text: string): string {
  return text.replaceAll(separator, "\u0001");
}
