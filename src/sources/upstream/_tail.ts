/** Stores the end of a stream, for messages about failures. */

import { visible } from "../../text/escape.ts";
import { stripControlSequences } from "../../text/control_sequences.ts";
import { excerpt } from "../../text/excerpt.ts";
import { shownText } from "./_plain_texts.ts";

const maxBytes = 8 * 1024;

/** Most lines of a message, and most characters of each. */
const shownLines = 5;
const shownLength = 300;

export class Tail {
  #bytes = new Uint8Array();

  add(chunk: Uint8Array): void {
    const both = new Uint8Array(this.#bytes.length + chunk.length);
    both.set(this.#bytes);
    both.set(chunk, this.#bytes.length);
    this.#bytes = both.slice(-maxBytes);
  }

  /** The last lines that are not empty, without control sequences. */
  lines(): string[] {
    const text = stripControlSequences(new TextDecoder().decode(this.#bytes));
    const lines = text.split(/\r?\n|\r/).map((line) => line.trimEnd()).filter((line) =>
      line !== ""
    );
    return lines.slice(-shownLines).map((line) => visible(shownText(excerpt(line, shownLength))));
  }
}
