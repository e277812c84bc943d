/** Clusters similar tools by merging the two nearest clusters until none are near enough. */

import type { Likeness } from "./group_likeness.ts";

export interface ClusterOptions {
  readonly likeness: Likeness;
  readonly maxSize: number;
  /** May be exceeded because of `maxSize`. */
  readonly maxCount: number;
  readonly minCount: number;
}

/** Clusters at a larger distance are unrelated; distances of single tools are up to 1. */
const farthest = 1.6;

/** The result does not depend on the order of `names`. */
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

/** Ward clustering: the cost of a merge is the spread of its cluster, which keeps sizes similar. */
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

  /** The cheapest merge within `maxSize`. */
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
