/**
 * The second pass, over the best few tools: what cannot be read from single words.
 *
 * A tool gains if the query has the words of its name, and for words that are neighbours both in the
 * query and in the tool's text.
 */

import { type CatalogueIndex, segmentEnd } from "./_catalogue_index.ts";
import type { RankingParameters } from "./_parameters.ts";
import type { Query } from "./_query.ts";
import { idf, type Scores } from "./_scoreboard.ts";

/** What the second pass works with. */
export interface RefinementContext {
  readonly index: CatalogueIndex;
  readonly parameters: RankingParameters;
  readonly query: Query;
  readonly scored: Scores;
  /** Whether only tools of one owner are searched. */
  readonly withinOwner: boolean;
}

/** What each term of the catalogue that stands for a word of the query can give. */
interface TermGain {
  readonly inText: number;
  readonly inName: number;
  /** Where the word stands in the query's `order`, -1 if it does not: a joined word. */
  readonly place: number;
}

/** Reads the query once and gives a function from a tool to its bonus. */
export function createRefinement(context: RefinementContext): (tool: number) => number {
  const gains = termGains(context);
  const { nameCoverage, nameCoverageWithinOwner, adjacency } = context.parameters;
  const nameShare = context.withinOwner ? nameCoverageWithinOwner : nameCoverage;
  const isGain = new Uint8Array(context.index.vocabulary.terms.length);
  for (const term of gains.keys()) isGain[term] = 1;
  return (tool) =>
    nameShare * coveredNameShare(tool, gains, context) * context.scored.worth +
    adjacency * adjacentGain(tool, gains, context, isGain);
}

function termGains({ query, scored }: RefinementContext): Map<number, TermGain> {
  const gains = new Map<number, TermGain>();
  scored.clauses.forEach(({ clause, worth }, number) => {
    const place = query.order.indexOf(number);
    for (const { term, weight, weightInName } of clause.alternatives) {
      const known = gains.get(term);
      const inText = Math.max(worth * weight, known?.inText ?? 0);
      const inName = Math.max(worth * weightInName, known?.inName ?? 0);
      const isBetter = known === undefined || worth * weight > known.inText;
      gains.set(term, {
        inText,
        inName,
        place: isBetter && place >= 0 ? place : known?.place ?? place,
      });
    }
  });
  return gains;
}

/** Share of what the words of a tool's name are worth that the query has, between 0 and 1. */
function coveredNameShare(
  tool: number,
  gains: ReadonlyMap<number, TermGain>,
  { index: { sequences, toolCounts, tools, silentInNames } }: RefinementContext,
): number {
  const seen = new Set<number>();
  let covered = 0;
  let whole = 0;
  for (let at = sequences.starts[tool]!; sequences.terms[at] !== segmentEnd; at++) {
    const term = sequences.terms[at]!;
    if (seen.has(term) || silentInNames.has(term)) continue;
    seen.add(term);
    const worth = idf(toolCounts[term]!, tools.length);
    whole += worth;
    covered += Math.min(worth, gains.get(term)?.inName ?? 0);
  }
  return whole === 0 ? 0 : covered / whole;
}

/** Sum over the query's neighbours that the tool's text has as neighbours, half if swapped. */
function adjacentGain(
  tool: number,
  gains: ReadonlyMap<number, TermGain>,
  { index: { sequences: { starts, terms } }, query }: RefinementContext,
  isGain: Uint8Array,
): number {
  const pairs = new Float64Array(query.order.length);
  const end = starts[tool + 1]!;
  // Nearly all terms give nothing: looking for two in a row is most of the work.
  for (let at = starts[tool]! + 1; at < end; at++) {
    const [first, second] = [terms[at - 1]!, terms[at]!];
    if (second === segmentEnd || isGain[second] === 0) at++;
    else if (first !== segmentEnd && isGain[first] === 1) {
      addPair(pairs, gains.get(first)!, gains.get(second)!);
    }
  }
  return pairs.reduce((sum, gain) => sum + gain, 0);
}

function addPair(pairs: Float64Array, first: TermGain, second: TermGain): void {
  const step = second.place - first.place;
  if (first.place < 0 || second.place < 0 || Math.abs(step) !== 1) return;
  const gain = Math.min(first.inText, second.inText) * (step === 1 ? 1 : 0.5);
  const pair = Math.min(first.place, second.place);
  pairs[pair] = Math.max(pairs[pair]!, gain);
}
