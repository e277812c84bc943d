/** Tools → clusters of like tools, by merging the two that are nearest until none are near enough. */

import type { Likeness } from "./group_likeness.ts";

/** How clusters are to be. */
export interface ClusterOptions {
  readonly likeness: Likeness;
  /** Tools of a cluster at most. */
  readonly maxSize: number;
  /** Clusters at most, as far as `maxSize` allows. */
  readonly maxCount: number;
  /** Clusters at least. */
  readonly minCount: number;
}

/** Merging further than this joins strangers; distances of one tool to another are up to 1. */
const farthest = 1.6;

/** Clusters of `names`; the same for the same names in any order. */
export function clustersOf(names: readonly string[], options: ClusterOptions): string[][] {
  const { maxSize, maxCount, minCount } = options;
  const tree = new Merging(names.toSorted(), options);
  while (tree.count > minCount) {
    const pair = tree.nearest(maxSize);
    if (pair === undefined) break;
    if (tree.count <= maxCount && pair.distance > farthest) break;
    tree.merge(pair.a, pair.b);
  }
  return tree.clusters();
}

interface Pair {
  readonly a: number;
  readonly b: number;
  readonly distance: number;
}

/** Ward's method: what a merge costs is how much it spreads its cluster, so that sizes stay alike. */
class Merging {
  readonly #members: (string[] | undefined)[];
  readonly #distances: Float64Array[];
  count: number;

  constructor(names: readonly string[], { likeness }: ClusterOptions) {
    this.#members = names.map((name) => [name]);
    this.count = names.length;
    this.#distances = names.map((a, i) => {
      return Float64Array.from(names, (b, j) => i === j ? 0 : 1 - likeness.between(a, b));
    });
  }

  clusters(): string[][] {
    return this.#members.filter((members) => members !== undefined);
  }

  /** The cheapest merge that makes no cluster of over `maxSize`. */
  nearest(maxSize: number): Pair | undefined {
    let best: Pair | undefined;
    for (let a = 0; a < this.#members.length; a++) {
      const own = this.#members[a];
      if (own === undefined) continue;
      const row = this.#distances[a]!;
      for (let b = a + 1; b < row.length; b++) {
        const other = this.#members[b];
        if (other === undefined || own.length + other.length > maxSize) continue;
        const distance = row[b]!;
        if (best === undefined || distance < best.distance) best = { a, b, distance };
      }
    }
    return best;
  }

  merge(a: number, b: number): void {
    const [left, right] = [this.#members[a]!, this.#members[b]!];
    const joined = this.#distances[a]![b]!;
    for (let c = 0; c < this.#members.length; c++) {
      const other = this.#members[c];
      if (other === undefined || c === a || c === b) continue;
      const { length: n } = other;
      const distance = ((left.length + n) * this.#distances[a]![c]! +
        (right.length + n) * this.#distances[b]![c]! - n * joined) /
        (left.length + right.length + n);
      this.#distances[a]![c] = this.#distances[c]![a] = distance;
    }
    left.push(...right);
    this.#members[b] = undefined;
    this.count--;
  }
}
