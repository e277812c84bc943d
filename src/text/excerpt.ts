/** Cuts, trims and quotes texts and other values of unknown origin for messages. */

export function excerpt(text: string, length: number): string {
  if (text.length <= length) return text;
  // If the cut splits a character of two code units (a surrogate pair), its first half is removed
  return `${text.slice(0, length).toWellFormed().replace(/\ufffd$/, "").trimEnd()}…`;
}

/** Refusals show regular expressions up to this length; a longer expression tells a model little. */
const maxPatternLength = 60;

export function patternText(source: string): string {
  return source.length > maxPatternLength ? "the pattern of its argument" : `pattern '${source}'`;
}

export function quote(text: string): string {
  return `'${excerpt(text, 100).toWellFormed()}'`;
}

export function listNames(names: readonly string[], max: number): string {
  const shown = names.slice(0, max).join(", ");
  return names.length > max ? `${shown}, and ${names.length - max} more` : shown;
}

export function describeValue(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a map";
  const text = String(value);
  return `${typeof value} '${excerpt(text, 60).toWellFormed()}'`;
}

/** Removes the `characters` at the end of `text`, in linear time: `trimEndOf("1.500", "0")` is `1.5`. */
export function trimEndOf(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1]!)) end--;
  return text.slice(0, end);
}
