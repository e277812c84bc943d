/**
 * Orders the best tools so that the first few answer all of a request.
 *
 * A request of several sentences often asks for several things. Tools are picked one by one, and
 * words that a picked tool has matched count less for those that follow.
 */

import type { CatalogueIndex } from "./_catalogue_index.ts";
import type { RankingParameters } from "./_parameters.ts";
import { strengthIn } from "./_postings.ts";
import type { ScoredClause, Scores } from "./_scoreboard.ts";

/** How much of a word's worth a tool that matches it fully uses up. */
const usedUp = 0.8;

/** What picking works with. */
export interface SpreadContext {
  readonly index: CatalogueIndex;
  readonly parameters: RankingParameters;
  readonly scored: Scores;
  /** By tool, from the passes before. */
  readonly scores: Float64Array;
}

/** The first `count` of `tools`, which come best first, picked so that they differ. */
export function pickSpread(
  tools: readonly number[],
  count: number,
  context: SpreadContext,
): number[] {
  const { scored: { clauses }, parameters: { spread }, scores } = context;
  const left = tools.map((tool) => ({ tool, parts: clauseShares(tool, context) }));
  const fresh = clauses.map(() => 1);
  const picked: number[] = [];
  while (picked.length < count && left.length > 0) {
    const values = left.map(({ tool, parts }) =>
      scores[tool]! -
      spread * sum(parts.map((part, k) => part * clauses[k]!.worth * (1 - fresh[k]!)))
    );
    const best = values.indexOf(Math.max(...values));
    const [choice] = left.splice(best, 1);
    picked.push(choice!.tool);
    choice!.parts.forEach((part, k) => fresh[k]! *= 1 - usedUp * part);
  }
  return picked;
}

/** For each clause, the share of its worth that the tool gets, between 0 and 1. */
function clauseShares(tool: number, context: SpreadContext): number[] {
  const { index, parameters: { saturation }, scored } = context;
  return scored.clauses.map((clause) => {
    const strength = clauseStrength(clause, tool, index);
    return strength / (saturation + strength);
  });
}

/** The owner's own words count half: tools of one owner may well answer different sentences. */
function clauseStrength({ clause }: ScoredClause, tool: number, index: CatalogueIndex): number {
  const { inTools, inOwners, ownerOf } = index;
  return sum(
    clause.alternatives.map(({ term, weight }) =>
      weight * (strengthIn(inTools, term, tool) + strengthIn(inOwners, term, ownerOf[tool]!) / 2)
    ),
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
