/** Removes from the name of a copy the marks that editors and people add. */

/** Matches one mark at the end: of Emacs, vi, patch, logrotate and people. */
const mark =
  /(?:[~#]|\.~?(?:bak|backup|old|orig|save|sw[a-p]|\d{1,9})|[-_](?:bak|backup|old|orig))$/i;

/** Returns the name of the file of which `name` may be a copy, such as `.env` for `#.env#`. */
export function originalName(name: string): string {
  let original = name.replace(/^(?:\.?#|\.(?=.*\.sw[a-p]$))/, "");
  // A name rarely has more than two marks
  for (let count = 0; count < 3; count++) original = original.replace(mark, "");
  return original;
}
