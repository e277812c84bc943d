/** Explains the place of a result by the score of each step, and the words that were found. */

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

type RankStep = keyof typeof rankSteps;

export type RankSteps = Readonly<
  Record<typeof rankSteps[RankStep], (document: number) => number>
>;

interface FoundWord {
  readonly word: string;
  /** The strength of the word in the document, and in the owner. */
  readonly inTool: number;
  readonly inOwner: number;
}

export interface ExplainedDocument {
  readonly document: number;
  readonly score: number;
  readonly steps: Readonly<Record<RankStep, number>>;
  readonly words: readonly FoundWord[];
}

interface SearchContext {
  readonly index: CatalogueIndex;
  readonly steps: RankSteps;
  readonly scored: Scores;
}

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
