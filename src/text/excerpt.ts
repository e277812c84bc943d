/**
 * Texts that somebody else wrote, made fit for a line of ours: cut, quoted, control characters shown.
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

/**
 * `text` with its control characters written out, so that it is one line and moves no terminal's
 * cursor.
 */
export function visible(text: string): string {
  // deno-lint-ignore no-control-regex
  return text.replace(/[\x00-\x1f\x7f-\x9f]/g, (character) => {
    return `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
  });
}
