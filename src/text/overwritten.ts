/** What a terminal shows in the end of lines that a program has written over. */

/** Erases the rest of a line (`K`, `0K`) or all of it (`2K`), after ECMA-48, section 8.3.41. */
// deno-lint-ignore no-control-regex
const erasing = /\x1b\[([02]?)K/g;

/**
 * `text` with carriage returns and backspaces carried out, as programs use them for progress bars; a
 * line that has none stays as it is.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(settled(" 10%\r 99%\r100%\ndone\r\n"), "100%\ndone\n");
 * ```
 */
export function settled(text: string): string {
  if (!/[\r\b]/.test(text)) return text;
  return text.split("\n").map((line) => {
    const ended = line.endsWith("\r") ? line.slice(0, -1) : line;
    return /[\r\b]/.test(ended) ? settledLine(ended) : ended;
  }).join("\n");
}

function settledLine(line: string): string {
  const cells: string[] = [];
  let column = 0;
  for (const character of line.replaceAll(erasing, (_, what) => what === "2" ? whole : rest)) {
    if (character === "\r") column = 0;
    else if (character === "\b") column = Math.max(0, column - 1);
    else if (character === rest) cells.length = Math.min(cells.length, column);
    else if (character === whole) cells.length = 0;
    else cells[column++] = character;
  }
  // What was passed over is blank
  return Array.from(cells, (cell) => cell ?? " ").join("");
}

/** Characters of no text, in place of the sequences that erase. */
const rest = "\ufdd0";
const whole = "\ufdd1";
