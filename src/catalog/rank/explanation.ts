/**
 * Why a document stands where it does: what each step of a search added to its score, and the words that
 * were found. It looks on while a search runs, so that what it says is what was done.
 */

import type { CatalogueIndex } from "./_catalogue_index.ts";
import { strengthIn } from "./_postings.ts";
import type { Clause } from "./_query.ts";
import type { Scores } from "./_scores.ts";

/** The steps of a search that add to scores, in their order. */
export const rankSteps = [
  "its own words",
  "its program's words",
  "its program is named",
  "it only reads",
  "the whole query",
] as const;

/** One of {@linkcode rankSteps}. */
export type RankStep = typeof rankSteps[number];

/** A word of the catalogue that stood for one of the query's. */
export interface FoundWord {
  /** Stemmed. */
  readonly word: string;
  /** How strongly the document's own text has it, and its owner's; no unit. */
  readonly inTool: number;
  readonly inOwner: number;
}

/** What a search made of one document, given by its index. */
export interface ExplainedDocument {
  readonly document: number;
  readonly score: number;
  /** What each step added; their sum is the score. */
  readonly steps: Readonly<Record<RankStep, number>>;
  readonly words: readonly FoundWord[];
}

/** Scores as they were after each step of one search, and what was made of its query. */
export interface RecordedSearch {
  readonly after: Map<RankStep, Float64Array>;
  scored?: Scores;
}

/** Why `document` stands where it does. */
export function explain(
  document: number,
  { after, scored }: RecordedSearch,
  index: CatalogueIndex,
): ExplainedDocument {
  const totals = rankSteps.map((step) => after.get(step)?.[document] ?? 0);
  const steps = rankSteps.map((step, at) => [step, totals[at]! - (totals[at - 1] ?? 0)] as const);
  return {
    document,
    score: totals.at(-1)!,
    steps: Object.fromEntries(steps) as Record<RankStep, number>,
    words: (scored?.clauses ?? []).flatMap(({ clause }) => foundFor(clause, document, index)),
  };
}

/** The word that stands for that of `clause` best here, if there is one. */
function foundFor(clause: Clause, document: number, index: CatalogueIndex): FoundWord[] {
  const { inDocuments, inOwners, ownerOf, vocabulary } = index;
  const weights = new Map([...clause.inOwners, ...clause.inDocuments].map(({ term, weight }) => [
    term,
    weight,
  ]));
  const found = [...weights].map(([term, weight]) => ({
    word: vocabulary.terms[term]!,
    inTool: weight * strengthIn(inDocuments, term, document),
    inOwner: weight * strengthIn(inOwners, term, ownerOf[document]!),
  }));
  const [best] = found.sort((a, b) => b.inTool + b.inOwner - a.inTool - a.inOwner);
  return best !== undefined && best.inTool + best.inOwner > 0 ? [best] : [];
}
