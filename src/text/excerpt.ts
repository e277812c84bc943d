/** Cuts and quotes texts of unknown origin for messages. */

/** The first `length` UTF-16 code units of `text`, followed by `…` when something was cut. */
export function excerpt(text: string, length: number): string {
  if (text.length <= length) return text;
  // A cut through a surrogate pair leaves half of it
  return `${text.slice(0, length).toWellFormed().replace(/\ufffd$/, "").trimEnd()}…`;
}

/** Longest regular expression that a refusal shows, which tells a model little. */
const longestPattern = 60;

/** Names a regular expression for a refusal. */
export function patternText(source: string): string {
  return source.length > longestPattern ? "the pattern of its argument" : `pattern '${source}'`;
}

/** Quotes `text` with single quotes, as messages do with values. */
export function quote(text: string): string {
  return `'${excerpt(text, 100).toWellFormed()}'`;
}
