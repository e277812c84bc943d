/**
 * Queries that are pieces of descriptions, as an agent pastes them.
 */

import type { Tool } from "../src/tool/tool.ts";
import type { QueryRow } from "../tests/catalog/_query_sets.ts";

const shortestWords = 3;

/** `count` fragments of three words or more; right is every tool whose text contains them. */
export function sampleFragments(tools: readonly Tool[], count: number): QueryRow[] {
  const random = createRandom(1);
  const long = tools.filter(({ description }) => wordsOf(description).length > shortestWords);
  return Array.from({ length: count }, () => {
    const { description } = long[random(long.length)]!;
    const words = wordsOf(description);
    const length = shortestWords + random(words.length - shortestWords);
    const start = random(words.length - length + 1);
    const query = words.slice(start, start + length).join(" ");
    return { query, want: [containing(tools, query)] };
  });
}

function containing(tools: readonly Tool[], query: string): string[] {
  const lowered = query.toLowerCase();
  return tools.filter((tool) => tool.description.toLowerCase().includes(lowered))
    .map(({ name }) => name);
}

/** Single spaces only, so that words joined again stand in the description. */
function wordsOf(description: string): string[] {
  return /\s\s|[^\S ]/.test(description) ? [] : description.trim().split(" ");
}

/** A linear congruential generator: the same fragments every time. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return Math.floor(state / 2 ** 32 * below);
  };
}
