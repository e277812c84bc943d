/** Names with `*` for any characters and `?` for one. */

/** True when the whole of `text` matches `glob`; the time is at most the product of their lengths. */
export function matchesGlob(glob: string, text: string): boolean {
  let at = 0;
  let read = 0;
  let star = -1;
  let mark = 0;
  while (read < text.length) {
    if (glob[at] === "*") {
      star = at++;
      mark = read;
    } else if (at < glob.length && (glob[at] === "?" || glob[at] === text[read])) {
      at++;
      read++;
    } else if (star >= 0) {
      // The last star takes one more character
      at = star + 1;
      read = ++mark;
    } else {
      return false;
    }
  }
  while (glob[at] === "*") at++;
  return at === glob.length;
}
