/** Why a document stands where it does: what each step of the ranking adds to its score, and the words found. */

import type { CatalogueIndex } from "./_catalogue_index.ts";
import { strengthIn } from "./_postings.ts";
import type { Clause } from "./_query.ts";
import type { Scores } from "./_scores.ts";

const rankSteps = {
  "its own words": "own",
  "its program's words": "ofOwner",
  "its program is named": "ofNamed",
  "it only reads": "ofEffect",
  "the whole query": "ofWhole",
} as const;

/** What a user calls a step. */
export type RankStep = keyof typeof rankSteps;

/** What each step adds to a document's score. */
export type RankSteps = Readonly<
  Record<typeof rankSteps[RankStep], (document: number) => number>
>;

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

interface SearchContext {
  readonly index: CatalogueIndex;
  readonly steps: RankSteps;
  readonly scored: Scores;
}

/** Why `document` stands where it does. */
export function explain(
  document: number,
  { index, steps, scored }: SearchContext,
): ExplainedDocument {
  const added = Object.entries(rankSteps).map(([name, step]) =>
    [name, steps[step](document)] as const
  );
  return {
    document,
    score: added.reduce((sum, [, gain]) => sum + gain, 0),
    steps: Object.fromEntries(added) as Record<RankStep, number>,
    words: scored.clauses.flatMap(({ clause }) => findWords(clause, document, index)),
  };
}

function findWords(clause: Clause, document: number, index: CatalogueIndex): FoundWord[] {
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
