/** Cuts, trims and quotes texts and other values of unknown origin for messages. */

/** Returns the first `length` UTF-16 code units of `text`, followed by `…` when something was cut. */
export function excerpt(text: string, length: number): string {
  if (text.length <= length) return text;
  // A cut within a surrogate pair leaves half of the pair
  return `${text.slice(0, length).toWellFormed().replace(/\ufffd$/, "").trimEnd()}…`;
}

/** A refusal shows regular expressions up to this length, since a longer one tells a model little. */
const maxPatternLength = 60;

export function patternText(source: string): string {
  return source.length > maxPatternLength ? "the pattern of its argument" : `pattern '${source}'`;
}

export function quote(text: string): string {
  return `'${excerpt(text, 100).toWellFormed()}'`;
}

/** Lists `names`, the first `max` of them, and how many more there are. */
export function listNames(names: readonly string[], max: number): string {
  const shown = names.slice(0, max).join(", ");
  return names.length > max ? `${shown}, and ${names.length - max} more` : shown;
}

/** Quotes a value within one short line. */
export function describeValue(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a map";
  const text = String(value);
  const short = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  // The cut may have split a surrogate pair
  return `${typeof value} '${short.toWellFormed()}'`;
}

/**
 * Removes the `characters` at the end of `text`, in linear time.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(trimEndOf("1.500", "0"), "1.5");
 * ```
 */
export function trimEndOf(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1]!)) end--;
  return text.slice(0, end);
}
