/**
 * The inverted index: for each term, which documents have it and how strongly.
 *
 * A document is a tool or an owner, given as segments of its fields. How strong a term is in a
 * document is decided here, before any query (the field part of BM25F); how much a term is worth
 * and how strength saturates are the scoring's.
 */

import type { FieldParameters } from "./_parameters.ts";

/** One piece of text of a document: its field's number and its terms in order. */
export interface Segment {
  readonly field: number;
  readonly terms: readonly number[];
}

/** Documents by term: those of term `t` stand from `starts[t]` up to `starts[t + 1]`, ascending. */
export interface Postings {
  readonly starts: Uint32Array;
  readonly documents: Uint32Array;
  /** Occurrences, weighted by field and normalised by the field's length. */
  readonly strengths: Float32Array;
}

/** Builds the postings of `documents`, whose segments have fields numbered as in `fields`. */
export function buildPostings(
  documents: readonly (readonly Segment[])[],
  fields: readonly FieldParameters[],
  termCount: number,
): Postings {
  const starts = countDocuments(documents, termCount);
  const total = starts[termCount]!;
  const postings = {
    starts,
    documents: new Uint32Array(total),
    strengths: new Float32Array(total),
  };
  fill(postings, documents, fields, termCount);
  return postings;
}

/** The strength of `term` in `document`, 0 if it does not occur. */
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

function countDocuments(documents: readonly (readonly Segment[])[], termCount: number) {
  const starts = new Uint32Array(termCount + 1);
  const lastSeen = new Int32Array(termCount).fill(-1);
  documents.forEach((segments, document) => {
    for (const { terms } of segments) {
      for (const term of terms) {
        if (lastSeen[term] !== document) starts[term + 1]!++;
        lastSeen[term] = document;
      }
    }
  });
  for (let term = 0; term < termCount; term++) starts[term + 1]! += starts[term]!;
  return starts;
}

function fill(
  postings: Postings,
  documents: readonly (readonly Segment[])[],
  fields: readonly FieldParameters[],
  termCount: number,
): void {
  const means = meanLengths(documents, fields.length);
  const next = postings.starts.slice();
  const strength = new Float32Array(termCount);
  documents.forEach((segments, document) => {
    const units = fieldUnits(segments, fields, means);
    const met: number[] = [];
    for (const { field, terms } of segments) {
      for (const term of terms) {
        if (strength[term] === 0) met.push(term);
        strength[term]! += units[field]!;
      }
    }
    for (const term of met) {
      const place = next[term]!++;
      postings.documents[place] = document;
      postings.strengths[place] = strength[term]!;
      strength[term] = 0;
    }
  });
}

/** What one occurrence in each field of this document adds. */
function fieldUnits(
  segments: readonly Segment[],
  fields: readonly FieldParameters[],
  means: readonly number[],
): number[] {
  const lengths = fieldLengths(segments, fields.length);
  return fields.map(({ weight, lengthNorm }, field) =>
    weight / (1 - lengthNorm + lengthNorm * lengths[field]! / means[field]!)
  );
}

/** Mean length of each field over the documents that have it. */
function meanLengths(documents: readonly (readonly Segment[])[], fieldCount: number): number[] {
  const totals = new Array<number>(fieldCount).fill(0);
  const owners = new Array<number>(fieldCount).fill(0);
  for (const segments of documents) {
    fieldLengths(segments, fieldCount).forEach((length, field) => {
      totals[field]! += length;
      if (length > 0) owners[field]!++;
    });
  }
  return totals.map((total, field) => Math.max(1, total / Math.max(1, owners[field]!)));
}

function fieldLengths(segments: readonly Segment[], fieldCount: number): number[] {
  const lengths = new Array<number>(fieldCount).fill(0);
  for (const { field, terms } of segments) lengths[field]! += terms.length;
  return lengths;
}
