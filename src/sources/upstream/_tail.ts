/** The last of what a program wrote, for the message on why it failed. */

import { visible } from "../../text/escape.ts";
import { stripControlSequences } from "../../text/control_sequences.ts";
import { excerpt } from "../../text/excerpt.ts";

/** Bytes that are kept. */
const keptBytes = 8 * 1024;

/** Lines that a message shows, and characters of each. */
const shownLines = 5;
const shownLength = 300;

/** A bounded memory of a stream's end. */
export class Tail {
  #kept = new Uint8Array();

  /** Takes in one chunk. */
  add(chunk: Uint8Array): void {
    const both = new Uint8Array(this.#kept.length + chunk.length);
    both.set(this.#kept);
    both.set(chunk, this.#kept.length);
    this.#kept = both.slice(-keptBytes);
  }

  /** The last lines that are not empty, fit for a terminal. */
  lines(): string[] {
    const text = stripControlSequences(new TextDecoder().decode(this.#kept));
    const lines = text.split(/\r?\n|\r/).map((line) => line.trimEnd()).filter((line) =>
      line !== ""
    );
    return lines.slice(-shownLines).map((line) => visible(excerpt(line, shownLength)));
  }
}
