/**
 * Texts that somebody else wrote, made fit for a line of ours: cut and quoted.
 */

/** The first `length` UTF-16 code units of `text`, followed by `…` when something was cut. */
export function excerpt(text: string, length: number): string {
  if (text.length <= length) return text;
  // A cut through a surrogate pair leaves half of it
  return `${text.slice(0, length).toWellFormed().replace(/\ufffd$/, "").trimEnd()}…`;
}

/** `text` in single quotes, as a message names a value that someone gave. */
export function quote(text: string): string {
  return `'${excerpt(text, 100).toWellFormed()}'`;
}
