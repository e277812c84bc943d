/** Takes what editors and people add to the name of a copy off that name. */

/** Matches one mark at the end: of Emacs, vi, patch, logrotate and people. */
const mark =
  /(?:[~#]|\.~?(?:bak|backup|old|orig|save|sw[a-p]|\d{1,9})|[-_](?:bak|backup|old|orig))$/i;

/** The name of the file of which `name` may be a copy, such as `.env` of `#.env#` and `id_rsa` of `.id_rsa.swp`. */
export function originalName(name: string): string {
  let original = name.replace(/^(?:\.?#|\.(?=.*\.sw[a-p]$))/, "");
  // A name has one or two marks
  for (let count = 0; count < 3; count++) original = original.replace(mark, "");
  return original;
}
