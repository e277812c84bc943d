/**
 * The catalogue's words as small integers.
 *
 * Words of one stem share a number; nothing is known here of where a word occurs.
 */

import { stopWords } from "../../text/stop_words.ts";
import { toTerm } from "../../text/words.ts";

/** Shorter words are not corrected: too many of them are one edit apart. */
const shortestCorrected = 4;
/** Common endings that a Porter stem is without. */
const commonEndings = ["s", "es", "e", "ed", "ing"];

/** The terms of a catalogue, numbered from 0 in the order they were first added. */
export class Vocabulary {
  /** Terms by number. */
  readonly terms: string[] = [];
  /** By term: 0 for a stop word, else 1. */
  readonly tells: number[] = [];
  readonly #numbers = new Map<string, number>();
  /** Only while the catalogue is read: words to numbers, so that each word is stemmed once. */
  #words = new Map<string, number>();

  /** The number of the word's term, which is added if it is new. */
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
    const forms = this.#forms(word);
    const similar: number[] = [];
    if (forms.length === 0) return [];
    for (const [number, term] of this.terms.entries()) {
      if (term.length < shortestCorrected) continue;
      if (forms.some((form) => isOneEditAway(form, term))) similar.push(number);
    }
    return similar;
  }

  /** What may be one edit away from a term: a stem gone wrong may be another than the ending's. */
  #forms(word: string): string[] {
    const endings = commonEndings.filter((ending) => word.endsWith(ending));
    const stems = endings.map((ending) => word.slice(0, word.length - ending.length));
    const forms = new Set([toTerm(word), ...stems]);
    return [...forms].filter((form) => form.length >= shortestCorrected);
  }
}

function isOneEditAway(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let endA = a.length;
  let endB = b.length;
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) {
    endA--;
    endB--;
  }
  const [restA, restB] = [endA - start, endB - start];
  if (restA <= 1 && restB <= 1) return true;
  return restA === 2 && restB === 2 && a[start] === b[start + 1] && a[start + 1] === b[start];
}
