/** Explains the place of a document: the score of each step of the ranking, and the words that were found. */

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

/** The name of a step for users. */
type RankStep = keyof typeof rankSteps;

/** The score that each step adds to a document. */
export type RankSteps = Readonly<
  Record<typeof rankSteps[RankStep], (document: number) => number>
>;

/** A word of the catalogue that stood for a word of the query. */
interface FoundWord {
  /** The stem of the word. */
  readonly word: string;
  /** The strength of the word in the document's own text and in its owner's, without a unit. */
  readonly inTool: number;
  readonly inOwner: number;
}

/** The explanation of one document, which its index names. */
export interface ExplainedDocument {
  readonly document: number;
  readonly score: number;
  /** The score of each step; their sum is the whole score. */
  readonly steps: Readonly<Record<RankStep, number>>;
  readonly words: readonly FoundWord[];
}

interface SearchContext {
  readonly index: CatalogueIndex;
  readonly steps: RankSteps;
  readonly scored: Scores;
}

/** Explains why `document` has its place. */
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
