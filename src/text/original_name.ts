/** Finds the name of a file whose copy an editor or a person has made, such as `.env` for `#.env#`. */

/** Matches one mark at the end: of Emacs, vi, patch, logrotate and people. */
const mark =
  /(?:[~#]|\.~?(?:bak|backup|old|orig|save|sw[a-p]|\d{1,9})|[-_](?:bak|backup|old|orig))$/i;

export function originalName(name: string): string {
  let original = name.replace(/^(?:\.?#|\.(?=.*\.sw[a-p]$))/, "");
  // A name rarely has more than two marks
  for (let count = 0; count < 3; count++) original = original.replace(mark, "");
  return original;
}
