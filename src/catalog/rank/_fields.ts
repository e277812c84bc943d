/** Reads documents and owners as segments of terms. A name is read without its owner's name in front. */

import type { Document, DocumentOwner } from "./document.ts";
import type { Segment } from "./_postings.ts";
import type { Vocabulary } from "./_vocabulary.ts";
import { splitWords } from "../../text/words.ts";

/** Words of one document or owner that are read; those behind them are only found as substrings. */
export const maxWords = 2_000;
/** Characters of one text that are looked at for words: as many words of everyday length. */
export const maxTextLength = 10 * maxWords;

/** The fields of a document's own text; a segment's `field` is an index of this. */
export const documentFields = ["name", "description", "parameter", "example"] as const;

/** The fields of an owner's text; a segment's `field` is an index of this. */
export const ownerFields = ["ownerName", "ownerText"] as const;

type Piece = readonly [field: number, text: string];

/** Reads text into terms, each different text once. */
export class FieldReader {
  readonly #vocabulary: Vocabulary;
  readonly #known = new Map<string, readonly number[]>();

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  readDocument(
    { description, parameters, examples }: Document,
    name: readonly string[],
  ): Segment[] {
    const pieces: Piece[] = [[1, description]];
    for (const { name, texts } of parameters) {
      pieces.push([2, name]);
      for (const text of texts) pieces.push([2, text]);
    }
    for (const text of examples) pieces.push([3, text]);
    return this.#read(name, pieces);
  }

  readOwner({ name, description, category = "", tags }: DocumentOwner): Segment[] {
    const texts = [description, category, ...tags];
    return this.#read(splitWords(name), texts.map((text) => [1, text] as const));
  }

  #read(name: readonly string[], pieces: readonly Piece[]): Segment[] {
    const nameTerms = name.slice(0, maxWords).map((word) => this.#vocabulary.add(word));
    const segments: Segment[] = [{ field: 0, terms: nameTerms, length: nameTerms.length }];
    let left = maxWords - nameTerms.length;
    for (const [field, text] of pieces) {
      if (text === "" || left <= 0) continue;
      const all = this.#terms(text);
      const terms = all.length <= left ? all : all.slice(0, left);
      const length = terms.reduce((count, term) => count + this.#vocabulary.tells[term]!, 0);
      segments.push({ field, terms, length });
      left -= terms.length;
    }
    return segments;
  }

  #terms(text: string): readonly number[] {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const words = splitWords(text.slice(0, maxTextLength));
    const terms = words.map((word) => this.#vocabulary.add(word));
    this.#known.set(text, terms);
    return terms;
  }
}

/** The words of a document's name, without those of its owner's name in front unless they are all. */
export function wordsOfName({ name, owner }: Document): string[] {
  const words = splitWords(name.slice(0, maxTextLength));
  const ownerName = owner.name.toLowerCase().replace(/[^\p{L}\p{N}\p{M}]/gu, "");
  let prefix = "";
  for (const [index, word] of words.entries()) {
    prefix += word;
    if (prefix.length > ownerName.length) break;
    if (prefix === ownerName && index + 1 < words.length) return words.slice(index + 1);
  }
  return words;
}
