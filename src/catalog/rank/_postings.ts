/** The inverted index: which documents have a word, and how strongly, by the BM25F formula. */

import type { FieldParameters } from "./_parameters.ts";

export interface Segment {
  readonly field: number;
  readonly terms: readonly number[];
  readonly length: number;
}

export interface Postings {
  readonly starts: Uint32Array;
  readonly documents: Uint32Array;
  readonly strengths: Float32Array;
}

/** Stop words in more documents than this are not indexed. */
const maxCommon = 1_000;

type Documents = readonly (readonly Segment[])[];

export function buildPostings(
  documents: Documents,
  { fields, termCount, rareOnly }: {
    readonly fields: readonly FieldParameters[];
    readonly termCount: number;
    readonly rareOnly: readonly number[];
  },
): Postings {
  const starts = countDocuments(documents, termCount, rareOnly);
  const total = starts[termCount]!;
  const postings = {
    starts,
    documents: new Uint32Array(total),
    strengths: new Float32Array(total),
  };
  fill(postings, documents, fields);
  return postings;
}

export function countIn({ starts }: Postings, term: number): number {
  return starts[term + 1]! - starts[term]!;
}

/** Returns how rare a word is that `matching` of `total` documents have (the inverse document frequency of BM25). */
export function idf(matching: number, total: number): number {
  return Math.log(1 + (Math.max(0, total - matching) + 0.5) / (matching + 0.5));
}

export function strengthIn(postings: Postings, term: number, document: number): number {
  let low = postings.starts[term]!;
  let high = postings.starts[term + 1]!;
  const end = high;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (postings.documents[middle]! < document) low = middle + 1;
    else high = middle;
  }
  return low < end && postings.documents[low] === document ? postings.strengths[low]! : 0;
}

export function gather(
  terms: readonly { readonly term: number; readonly weight: number }[],
  { starts, documents, strengths }: Postings,
  sums: Float32Array,
): number[] {
  const found: number[] = [];
  for (const { term, weight } of terms) {
    const end = starts[term + 1]!;
    for (let at = starts[term]!; at < end; at++) {
      const document = documents[at]!;
      if (sums[document] === 0) found.push(document);
      sums[document]! += weight * strengths[at]!;
    }
  }
  return found;
}

function countDocuments(
  documents: Documents,
  termCount: number,
  rareOnly: readonly number[],
): Uint32Array {
  const starts = new Uint32Array(termCount + 1);
  const lastSeen = new Int32Array(termCount).fill(-1);
  for (const [document, segments] of documents.entries()) {
    for (const { terms } of segments) {
      for (const term of terms) {
        if (lastSeen[term] !== document) starts[term + 1]!++;
        lastSeen[term] = document;
      }
    }
  }
  for (const term of rareOnly) if (starts[term + 1]! > maxCommon) starts[term + 1] = 0;
  for (let term = 1; term <= termCount; term++) starts[term]! += starts[term - 1]!;
  return starts;
}

function fill(
  { starts, documents: numbers, strengths }: Postings,
  documents: Documents,
  fields: readonly FieldParameters[],
): void {
  const lengths = documents.map((segments) => fieldLengths(segments, fields.length));
  const means = fields.map((_, field) => meanLength(lengths, field));
  const next = starts.slice();
  const strength = new Float32Array(starts.length);
  for (const [document, segments] of documents.entries()) {
    const units = fieldUnits(lengths[document]!, fields, means);
    const met: number[] = [];
    for (const { field, terms } of segments) {
      for (const term of terms) {
        if (strength[term] === 0) met.push(term);
        strength[term]! += units[field]!;
      }
    }
    for (const term of met) {
      const place = next[term]!;
      if (place < starts[term + 1]!) {
        numbers[place] = document;
        strengths[place] = strength[term]!;
        next[term] = place + 1;
      }
      strength[term] = 0;
    }
  }
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
