/** YAML line by line, so that comments stand where they are meant to. */

import { stripControlSequences } from "../text/control_sequences.ts";

/** Columns a comment may have. */
const width = 100;

/** Collects lines. */
export class LineWriter {
  readonly #lines: string[] = [];

  /** One line as it is. */
  line(text: string): void {
    this.#lines.push(text);
  }

  /** An empty line, never two. */
  blank(): void {
    if (this.#lines.length > 0 && this.#lines.at(-1) !== "") this.#lines.push("");
  }

  /** A comment, broken into lines. */
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

  /** Everything, with a line feed at the end. */
  text(): string {
    return `${this.#lines.join("\n")}\n`;
  }
}

/** Texts that every YAML reader takes for the text they are. */
const plain = /^[A-Za-z][A-Za-z0-9_ ,.()/'+-]*[A-Za-z0-9_.)]$|^[A-Za-z]$/;

/** Texts that one YAML reader or another takes for something else. */
const special = /^(?:y|n|yes|no|on|off|true|false|null|~|\.?inf|\.?nan)$/i;

/** A text as a YAML scalar on one line. */
export function scalar(text: string): string {
  const line = printable(text);
  const isPlain = plain.test(line) && !special.test(line) && !line.includes(", ") &&
    !line.includes(" #");
  return isPlain ? line : JSON.stringify(line);
}

/** `text` on one line, without what a terminal or a reader would not show. */
function printable(text: string): string {
  return stripControlSequences(text)
    .replace(/\s+/g, " ")
    // deno-lint-ignore no-control-regex
    .replace(/[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, "")
    .toWellFormed()
    .trim();
}
