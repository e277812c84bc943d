/** Two orders of the same tools, by words and by meaning, made one. */

import type { ScoredDocument } from "../rank/rank.ts";

/** So many of the best of either order are looked at. */
export const maxFused = 200;

/**
 * The best `limit` tools, best first, of those that words found (`byWords`, best first) and of those
 * nearest in meaning; `nearness` has a number for each tool, and `accept` says which may be given.
 *
 * `weight` is what meaning counts beside words, between 0 and 1. Both numbers are compared as standard scores over the best of both orders, because neither has a
 * unit.
 */
export function fuse(
  byWords: readonly ScoredDocument[],
  nearness: Float64Array,
  { limit, weight, accept }: {
    readonly limit: number;
    readonly weight: number;
    readonly accept?: ((tool: number) => boolean) | undefined;
  },
): number[] {
  const words = byWords.slice(0, maxFused);
  const scores = new Map(words.map(({ document, score }) => [document, score]));
  const nearest = Array.from(nearness.keys()).filter((tool) => accept?.(tool) ?? true)
    .sort((a, b) => nearness[b]! - nearness[a]! || a - b).slice(0, maxFused);
  const tools = [...new Set([...scores.keys(), ...nearest])];
  const byWord = standardScores(tools.map((tool) => scores.get(tool) ?? 0));
  const byMeaning = standardScores(tools.map((tool) => nearness[tool]!));
  const fused = tools.map((tool, place) => ({
    tool,
    score: (1 - weight) * byWord[place]! + weight * byMeaning[place]!,
  })).sort((a, b) => b.score - a.score || a.tool - b.tool);
  const known = new Set(tools);
  const rest = byWords.slice(maxFused).map(({ document }) => document)
    .filter((tool) => !known.has(tool));
  return [...fused.map(({ tool }) => tool), ...rest].slice(0, limit);
}

/** How many standard deviations each number is above the mean; 0 each where all are equal. */
function standardScores(numbers: readonly number[]): number[] {
  const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
  const variance = numbers.reduce((sum, number) => sum + (number - mean) ** 2, 0) / numbers.length;
  const deviation = Math.sqrt(variance);
  return numbers.map((number) => deviation > 0 ? (number - mean) / deviation : 0);
}
