/** How good a ranking is: measures of `climax eval` and the benchmark. Any one name of a group satisfies it. */

/** One query: what came, best first, and the groups of names of which one each was wanted. */
export interface Judged {
  readonly ranked: readonly string[];
  readonly want: readonly (readonly string[])[];
}

/** Means over all queries, each between 0 and 1. */
export interface Measures {
  readonly recall1: number;
  readonly recall5: number;
  readonly recall10: number;
  readonly mrr: number;
  readonly ndcg10: number;
  /** Share of queries for which nothing came. */
  readonly empty: number;
}

/** The measures' means over all queries; zero each when there are none. */
export function measure(queries: readonly Judged[]): Measures {
  return {
    recall1: mean(queries, (query) => recallAt(query, 1)),
    recall5: mean(queries, (query) => recallAt(query, 5)),
    recall10: mean(queries, (query) => recallAt(query, 10)),
    mrr: mean(queries, reciprocalRank),
    ndcg10: mean(queries, (query) => ndcgAt(query, 10)),
    empty: mean(queries, (query) => query.ranked.length === 0 ? 1 : 0),
  };
}

/** Share of the wanted groups of which one name is among the first `k`; 1 if none is wanted. */
export function recallAt({ ranked, want }: Judged, k: number): number {
  if (want.length === 0) return 1;
  const ranks = firstRanks(ranked, want);
  return ranks.filter((rank) => rank <= k).length / want.length;
}

/** One over the rank, counted from 1, of the first wanted name; 0 if none came. */
export function reciprocalRank({ ranked, want }: Judged): number {
  return 1 / Math.min(...firstRanks(ranked, want));
}

/** nDCG of the first `k`: each wanted group gains 1 / log2(rank + 1) once, at the rank of its best name. */
export function ndcgAt({ ranked, want }: Judged, k: number): number {
  if (want.length === 0) return 1;
  const gains = firstRanks(ranked, want).filter((rank) => rank <= k).map(discount);
  const ideal = Array.from({ length: Math.min(k, want.length) }, (_, place) => discount(place + 1));
  // One name may satisfy several groups, which no order of single names can beat.
  return Math.min(1, sum(gains) / sum(ideal));
}

/** The rank from 1 of each group's best name, `Infinity` for a group of which none came. */
function firstRanks(ranked: readonly string[], want: Judged["want"]): number[] {
  return want.map((group) => {
    const place = ranked.findIndex((name) => group.includes(name));
    return place < 0 ? Infinity : place + 1;
  });
}

function discount(rank: number): number {
  return 1 / Math.log2(rank + 1);
}

function mean(queries: readonly Judged[], score: (query: Judged) => number): number {
  return queries.length === 0 ? 0 : sum(queries.map(score)) / queries.length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
