/** Formats values of unknown origin for messages. */

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
