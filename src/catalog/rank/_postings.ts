/** The inverted index: for each term the documents, and the strength of the term in each (the fields of BM25F). */

import type { FieldParameters } from "./_parameters.ts";

export interface Segment {
  readonly field: number;
  readonly terms: readonly number[];
  /** The number of terms that are no stop words. */
  readonly length: number;
}

/** The documents of one term, ascending. */
interface TermPostings {
  readonly documents: number[];
  /** The occurrences in each document, weighted by field and normalised by the length of the field. */
  readonly strengths: number[];
}

export type Postings = ReadonlyMap<number, TermPostings>;

/** A stop word in more documents is not indexed. */
const maxCommon = 1_000;

type Documents = readonly (readonly Segment[])[];

/** @param rareOnly terms that are left out if more than {@linkcode maxCommon} documents have them */
export function buildPostings(
  documents: Documents,
  fields: readonly FieldParameters[],
  rareOnly: readonly number[] = [],
): Postings {
  const postings = new Map<number, TermPostings>();
  const lengths = documents.map((segments) => fieldLengths(segments, fields.length));
  const means = fields.map((_, field) => meanLength(lengths, field));
  for (const [document, segments] of documents.entries()) {
    const units = fieldUnits(lengths[document]!, fields, means);
    for (const { field, terms } of segments) {
      for (const term of terms) {
        const { documents: having, strengths } = postings.getOrInsertComputed(term, newPostings);
        if (having.at(-1) === document) strengths[having.length - 1]! += units[field]!;
        else strengths[having.push(document) - 1] = units[field]!;
      }
    }
  }
  for (const term of rareOnly) if (countIn(postings, term) > maxCommon) postings.delete(term);
  return postings;
}

const newPostings = (): TermPostings => ({ documents: [], strengths: [] });

export function documentsOf(postings: Postings, term: number): readonly number[] {
  return postings.get(term)?.documents ?? [];
}

export function countIn(postings: Postings, term: number): number {
  return documentsOf(postings, term).length;
}

/** Returns the inverse document frequency `ln(1 + (N - n + ½) / (n + ½))`. */
export function idf(matching: number, total: number): number {
  return Math.log(1 + (Math.max(0, total - matching) + 0.5) / (matching + 0.5));
}

export function strengthIn(postings: Postings, term: number, document: number): number {
  const { documents, strengths } = postings.get(term) ?? newPostings();
  let [low, high] = [0, documents.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (documents[middle]! < document) low = middle + 1;
    else high = middle;
  }
  return documents[low] === document ? strengths[low]! : 0;
}

/** Adds the strengths of `terms` to `sums` by document. Returns the documents that have one of the terms. */
export function gather(
  terms: readonly { readonly term: number; readonly weight: number }[],
  postings: Postings,
  sums: Float32Array,
): number[] {
  const found: number[] = [];
  for (const { term, weight } of terms) {
    const { documents, strengths } = postings.get(term) ?? newPostings();
    for (let at = 0; at < documents.length; at++) {
      const document = documents[at]!;
      if (sums[document] === 0) found.push(document);
      sums[document]! += weight * strengths[at]!;
    }
  }
  return found;
}

function fieldUnits(
  lengths: readonly number[],
  fields: readonly FieldParameters[],
  means: readonly number[],
): number[] {
  return fields.map(({ weight, lengthNorm }, field) =>
    weight / (1 - lengthNorm + lengthNorm * Math.max(1, lengths[field]!) / means[field]!)
  );
}

function meanLength(lengths: readonly (readonly number[])[], field: number): number {
  let [total, having] = [0, 0];
  for (const { [field]: length } of lengths) {
    total += length!;
    if (length! > 0) having++;
  }
  return Math.max(1, total / Math.max(1, having));
}

function fieldLengths(segments: readonly Segment[], fieldCount: number): number[] {
  const lengths = new Array<number>(fieldCount).fill(0);
  for (const { field, length } of segments) lengths[field]! += length;
  return lengths;
}
