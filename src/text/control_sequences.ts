/** Removes control sequences for terminals, and applies carriage returns and backspaces as a terminal does. */

/**
 * Matches control characters except tab, line feed and carriage return, and escape sequences (ECMA-48, section 5). No
 * part of the pattern can match where another may, so that hostile text takes linear time.
 */
const controlSequence =
  // deno-lint-ignore no-control-regex
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]?|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;

/** Matches a character that every control sequence has: without one, the slow pattern is not tried. */
// deno-lint-ignore no-control-regex
const control = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/;

export function stripControlSequences(text: string): string {
  return control.test(text) ? text.replace(controlSequence, "") : text;
}

/** Applies carriage returns and backspaces as a terminal does: of a progress bar, only the last state stays. */
export function settleReturns(text: string): string {
  if (!/[\r\b]/.test(text)) return text;
  // A carriage return at the end of a line belongs to its line end and overwrites nothing
  return text.split("\n").map((line) => settleLine(line.replace(/\r$/, ""))).join("\n");
}

/** Matches the escape sequences that erase the rest of a line or a whole line (ECMA-48, section 8.3.41). */
// deno-lint-ignore no-control-regex
const erasure = /\x1b\[([02]?)K/y;

function settleLine(line: string): string {
  if (!/[\r\b]/.test(line)) return line;
  const cells: string[] = [];
  let column = 0;
  for (let at = 0; at < line.length;) {
    const character = String.fromCodePoint(line.codePointAt(at)!);
    erasure.lastIndex = at;
    const erased = character === "\x1b" ? erasure.exec(line) : null;
    at += (erased?.[0] ?? character).length;
    if (erased !== null) cells.length = erased[1] === "2" ? 0 : Math.min(cells.length, column);
    else if (character === "\r") column = 0;
    else if (character === "\b") column = Math.max(0, column - 1);
    else {
      while (cells.length < column) cells.push(" ");
      cells[column++] = character;
    }
  }
  return cells.join("");
}
