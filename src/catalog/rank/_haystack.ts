/**
 * Finds the entries whose text contains a string, as the search contract asks: the whole query,
 * case-insensitively, in one of an entry's fields.
 *
 * All text is one lower-cased string, so one scan answers for the whole catalogue.
 */

/** Stands between two fields; a needle that has it is checked field by field. */
const separator = "\0";

/** The lower-cased fields of numbered entries. */
export interface Haystack {
  readonly text: string;
  /** Where each entry begins in `text`, and at the end the length of `text`. */
  readonly starts: Uint32Array;
  /** Length of the longest field: no longer needle can be found. */
  readonly longest: number;
  readonly fieldsOf: (entry: number) => readonly string[];
}

/** Joins the fields of `count` entries into a haystack. */
export function buildHaystack(count: number, fieldsOf: Haystack["fieldsOf"]): Haystack {
  const starts = new Uint32Array(count + 1);
  const parts: string[] = [];
  let length = 0;
  let longest = 0;
  for (let entry = 0; entry < count; entry++) {
    starts[entry] = length;
    for (const field of fieldsOf(entry)) {
      // Lower-casing may change a text's length, and what it gives may depend on its neighbours.
      const lowered = field.toLowerCase();
      parts.push(lowered, separator);
      length += lowered.length + separator.length;
      longest = Math.max(longest, lowered.length);
    }
  }
  starts[count] = length;
  return { text: parts.join(""), starts, longest, fieldsOf };
}

/** The entries of which a field contains `needle`, which is lower-cased already; ascending. */
export function findContaining(haystack: Haystack, needle: string): number[] {
  const { text, starts, longest } = haystack;
  if (needle.length > longest) return [];
  const found: number[] = [];
  let entry = 0;
  let at = text.indexOf(needle);
  while (at >= 0 && entry + 1 < starts.length) {
    while (entry + 2 < starts.length && starts[entry + 1]! <= at) entry++;
    if (isWithinField(haystack, entry, needle)) found.push(entry);
    entry++;
    at = text.indexOf(needle, starts[entry]);
  }
  return found;
}

/** Whether a hit is one field's, which only a needle that has the separator leaves open. */
function isWithinField({ fieldsOf }: Haystack, entry: number, needle: string): boolean {
  if (!needle.includes(separator)) return true;
  return fieldsOf(entry).some((field) => field.toLowerCase().includes(needle));
}
