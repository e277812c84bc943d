/** Picks the best documents one by one; words of a picked one count less then, so all of a request is answered. */

import type { CatalogueIndex } from "./_catalogue_index.ts";
import type { RankingParameters } from "./_parameters.ts";
import { strengthIn } from "./_postings.ts";
import { saturation, type Scores } from "./_scores.ts";

/** How much of a word's worth a document that matches it fully uses up. */
const usedUp = 0.8;

/** What picking works with. */
export interface SpreadContext {
  readonly index: CatalogueIndex;
  readonly parameters: RankingParameters;
  readonly scored: Scores;
  /** By document, from the passes before. */
  readonly scores: Float64Array;
}

/** The first `count` of `documents`, which come best first, picked so that they differ. */
export function pickSpread(
  documents: readonly number[],
  count: number,
  context: SpreadContext,
): number[] {
  const { scored: { clauses }, parameters: { spread }, scores } = context;
  const left = documents.map((document) => ({ document, parts: clauseShares(document, context) }));
  const fresh = clauses.map(() => 1);
  const picked: number[] = [];
  while (picked.length < count && left.length > 0) {
    const values = left.map(({ document, parts }) =>
      scores[document]! -
      spread * sum(parts.map((part, k) => part * clauses[k]!.worth * (1 - fresh[k]!)))
    );
    const best = values.indexOf(Math.max(...values));
    const [choice] = left.splice(best, 1);
    picked.push(choice!.document);
    choice!.parts.forEach((part, k) => fresh[k]! *= 1 - usedUp * part);
  }
  return picked;
}

/** For each clause, the share of its worth that the document's own words get, between 0 and 1. */
function clauseShares(document: number, { index, scored }: SpreadContext): number[] {
  return scored.clauses.map(({ clause: { inDocuments } }) => {
    const strength = sum(
      inDocuments.map(({ term, weight }) => weight * strengthIn(index.inDocuments, term, document)),
    );
    return strength / (saturation + strength);
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
