/** Removes control sequences for terminals, which an agent can only misread. */

/**
 * Escape sequences of ECMA-48 (5th edition, section 5), in seven and in eight bits: control sequences
 * (CSI), control strings (OSC, DCS, SOS, PM, APC) up to their end, every other escape with its final
 * character, and the controls of both sets but tab, line feed and carriage return. Each part of the pattern
 * excludes the next, so the time is linear in the text.
 */
const controlSequence =
  // deno-lint-ignore no-control-regex
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]?|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;

/** Characters of which every match has one. */
// deno-lint-ignore no-control-regex
const control = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/;

/** Removes terminal control sequences from `text`. */
export function stripControlSequences(text: string): string {
  return control.test(text) ? text.replace(controlSequence, "") : text;
}

const [backspace, lineFeed, carriageReturn, escape] = [0x08, 0x0a, 0x0d, 0x1b];
const [bracket, zero, two, finalK, space] = [0x5b, 0x30, 0x32, 0x4b, 0x20];

/**
 * Carries out carriage returns and backspaces, which programs use for progress bars; other lines stay as
 * they are. It reads each code unit once: a million short lines that are all overwritten would take seconds
 * with strings.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(settleReturns(" 10%\r 99%\r100%\ndone\r\n"), "100%\ndone\n");
 * ```
 */
export function settleReturns(text: string): string {
  if (!/[\r\b]/.test(text)) return text;
  const units = new Uint16Array(text.length);
  let length = 0;
  const cells = new Cells();
  for (let start = 0; start <= text.length;) {
    const found = text.indexOf("\n", start);
    const end = found === -1 ? text.length : found;
    // A return at the end of a line belongs to the line's end
    const ended = end > start && text.charCodeAt(end - 1) === carriageReturn ? end - 1 : end;
    const begin = length;
    let isOver = false;
    for (let at = start; at < ended && !isOver; at++) {
      const unit = text.charCodeAt(at);
      isOver = unit === carriageReturn || unit === backspace;
      units[length++] = unit;
    }
    if (isOver) length = cells.settle(text, start, ended, units, begin);
    if (found !== -1) units[length++] = lineFeed;
    start = end + 1;
  }
  return new TextDecoder("utf-16le", { ignoreBOM: true }).decode(units.subarray(0, length));
}

class Cells {
  #cells = new Uint32Array(256);

  /** Writes the final state of a line, `start` to `end` of `text`, into `units` at `at`; returns its end. */
  settle(text: string, start: number, end: number, units: Uint16Array, at: number): number {
    if (this.#cells.length < end - start) this.#cells = new Uint32Array(2 * (end - start));
    const cells = this.#cells;
    let column = 0;
    let length = 0;
    for (let from = start; from < end;) {
      const code = text.codePointAt(from)!;
      const erased = code === escape ? eraseAt(text, from, end) : undefined;
      if (erased !== undefined) {
        length = erased.isWhole ? 0 : Math.min(length, column);
        from += erased.units;
        continue;
      }
      from += code > 0xffff ? 2 : 1;
      if (code === carriageReturn) column = 0;
      else if (code === backspace) column = Math.max(0, column - 1);
      else {
        // Skipped cells are blank
        while (length < column) cells[length++] = space;
        cells[column++] = code;
        length = Math.max(length, column);
      }
    }
    return this.#write(length, units, at);
  }

  #write(length: number, units: Uint16Array, at: number): number {
    let to = at;
    for (let cell = 0; cell < length; cell++) {
      const code = this.#cells[cell]!;
      if (code > 0xffff) {
        units[to++] = 0xd800 + ((code - 0x10000) >> 10);
        units[to++] = 0xdc00 + (code & 0x3ff);
      } else units[to++] = code;
    }
    return to;
  }
}

/** Erases the rest of a line (`K`, `0K`) or all of it (`2K`), after ECMA-48, section 8.3.41. */
function eraseAt(text: string, at: number, end: number) {
  if (text.charCodeAt(at + 1) !== bracket) return undefined;
  const what = text.charCodeAt(at + 2);
  const units = what === zero || what === two ? 4 : 3;
  if (at + units > end || text.charCodeAt(at + units - 1) !== finalK) return undefined;
  return { units, isWhole: what === two };
}
