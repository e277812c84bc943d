/** Finds the name of a file whose copy an editor or a person has made, such as `.env` for `#.env#`. */

/** Matches one ending that marks a copy, as Emacs, vi, patch, logrotate and people add it. */
const mark =
  /(?:[~#]|\.~?(?:bak|backup|old|orig|save|sw[a-p]|\d{1,9})|[-_](?:bak|backup|old|orig))$/i;

export function originalName(name: string): string {
  let original = name.replace(/^(?:\.?#|\.(?=.*\.sw[a-p]$))/, "");
  // At most three endings that mark a copy are removed
  for (let count = 0; count < 3; count++) original = original.replace(mark, "");
  return original;
}
