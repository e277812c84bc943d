/** Values that somebody else wrote, as messages name them. */

/** A value as a message quotes it, within one short line. */
export function describeValue(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a map";
  const text = String(value);
  const short = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  // The cut may have parted a surrogate pair
  return `${typeof value} '${short.toWellFormed()}'`;
}
