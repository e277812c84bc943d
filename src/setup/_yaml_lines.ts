/** Writes YAML line by line, to control the places of comments. */

import { stripControlSequences } from "../text/control_sequences.ts";

/** Columns of a comment. */
const width = 100;

export class LineWriter {
  readonly #lines: string[] = [];

  line(text: string): void {
    this.#lines.push(text);
  }

  /** Adds an empty line, never two in a row. */
  blank(): void {
    if (this.#lines.length > 0 && this.#lines.at(-1) !== "") this.#lines.push("");
  }

  comment(text: string, indent = 0): void {
    const margin = " ".repeat(indent);
    let line = `${margin}#`;
    for (const word of printable(text).split(" ")) {
      if (line.length + word.length >= width && line.trim() !== "#") {
        this.#lines.push(line);
        line = `${margin}#  `;
      }
      line += ` ${word}`;
    }
    this.#lines.push(line.trimEnd());
  }

  text(): string {
    return `${this.#lines.join("\n")}\n`;
  }
}

/** Texts that every YAML reader reads as themselves. */
const plain = /^[A-Za-z][A-Za-z0-9_ ,.()/'+-]*[A-Za-z0-9_.)]$|^[A-Za-z]$/;

/** Texts that some YAML reader takes for another type. */
const special = /^(?:y|n|yes|no|on|off|true|false|null|~|\.?inf|\.?nan)$/i;

/** Formats a text as a YAML scalar on one line. */
export function scalar(text: string): string {
  const line = printable(text);
  const isPlain = plain.test(line) && !special.test(line) && !line.includes(", ") &&
    !line.includes(" #");
  return isPlain ? line : JSON.stringify(line);
}

/** Turns `text` into one line without characters that a terminal or a reader would not show. */
function printable(text: string): string {
  return stripControlSequences(text)
    .replace(/\s+/g, " ")
    // deno-lint-ignore no-control-regex
    .replace(/[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, "")
    .toWellFormed()
    .trim();
}
