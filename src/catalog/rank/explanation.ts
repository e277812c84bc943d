/** Explains a result of a search: the words by which it was found. */

import type { CatalogueIndex } from "./_catalogue_index.ts";
import { strengthIn } from "./_postings.ts";
import type { Clause } from "./_query.ts";
import type { Scores } from "./_scores.ts";

interface FoundWord {
  readonly word: string;
  readonly inTool: number;
  readonly inOwner: number;
}

export interface ExplainedDocument {
  readonly document: number;
  readonly score: number;
  readonly words: readonly FoundWord[];
}

export function wordsIn(
  document: number,
  { clauses }: Scores,
  index: CatalogueIndex,
): FoundWord[] {
  return clauses.flatMap(({ clause }) => strongestWord(clause, document, index));
}

function strongestWord(clause: Clause, document: number, index: CatalogueIndex): FoundWord[] {
  const { inDocuments, inOwners, ownerOf, vocabulary } = index;
  const found = [...clause.inDocuments, ...clause.inOwners].map(({ term, weight }) => ({
    word: vocabulary.terms[term]!,
    inTool: weight * strengthIn(inDocuments, term, document),
    inOwner: weight * strengthIn(inOwners, term, ownerOf[document]!),
  }));
  const [best] = found.sort((a, b) => b.inTool + b.inOwner - a.inTool - a.inOwner);
  return best !== undefined && best.inTool + best.inOwner > 0 ? [best] : [];
}
