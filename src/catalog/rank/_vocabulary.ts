/** The catalogue's words as small integers; words of one stem share a number. */

import { isOneEditFrom } from "../../text/spelling.ts";
import { stopWords } from "../../text/stop_words.ts";
import { toTerm } from "../../text/words.ts";

/** The terms of a catalogue, numbered from 0 in the order they were first added. */
export class Vocabulary {
  readonly terms: string[] = [];
  /** By term: 0 for a stop word, else 1. */
  readonly tells: number[] = [];
  readonly #numbers = new Map<string, number>();
  /** Only while the catalogue is read: words to numbers, so that each word is stemmed once. */
  #words = new Map<string, number>();

  add(word: string): number {
    const known = this.#words.get(word);
    if (known !== undefined) return known;
    const term = toTerm(word);
    let number = this.#numbers.get(term);
    if (number === undefined) {
      number = this.terms.push(term) - 1;
      this.tells.push(stopWords.has(term) ? 0 : 1);
      this.#numbers.set(term, number);
    }
    this.#words.set(word, number);
    return number;
  }

  /** Frees what only {@linkcode add} needs. */
  close(): void {
    this.#words = new Map();
  }

  /** The number of the word's term, if the catalogue has it. */
  find(word: string): number | undefined {
    return this.#numbers.get(toTerm(word));
  }

  /** The terms one edit away: a character more, less, changed, or two neighbours swapped. */
  findSimilar(word: string): number[] {
    const isSimilar = isOneEditFrom(word);
    return [...this.terms.keys()].filter((number) => isSimilar(this.terms[number]!));
  }
}
