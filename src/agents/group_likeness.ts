/**
 * How alike tools are: the cosine of their words' weights, rare words weighing more, and a share for
 * having the same owner. The same tools give the same numbers, in whatever order they come.
 */

import type { Tool } from "../tool/tool.ts";
import { words, wordsOf } from "./group_words.ts";

/** Tools that are compared at most: the comparison takes memory by the square. */
export const maxComparedTools = 2000;

/** What having the same owner is worth beside the words, of 1. */
const ownerShare = 0.35;

type Vector = ReadonlyMap<string, number>;

/** The likeness of some tools. */
export class Likeness {
  readonly #vectors: ReadonlyMap<string, Vector>;
  readonly #rarity: ReadonlyMap<string, number>;

  constructor(tools: readonly Tool[]) {
    const terms = new Map(tools.map((tool) => [tool.name, termsOf(tool)]));
    this.#rarity = rarityOf([...terms.values()]);
    this.#vectors = new Map(
      tools.map((tool) => [tool.name, this.#vectorOf(tool, terms.get(tool.name)!)]),
    );
  }

  /** How alike two tools are, 0 to 1. */
  between(a: string, b: string): number {
    return product(this.#vectors.get(a)!, this.#vectors.get(b)!);
  }

  /** How alike the tool `name` is to the others of `group`, on average. */
  toGroup(name: string, group: Iterable<string>): number {
    let sum = 0;
    let count = 0;
    for (const other of group) {
      if (other === name) continue;
      sum += this.between(name, other);
      count++;
    }
    return count === 0 ? 0 : sum / count;
  }

  /** How alike the tools of `group` are to one another, on average. */
  within(group: readonly string[]): number {
    if (group.length < 2) return 1;
    return group.reduce((sum, name) => sum + this.toGroup(name, group), 0) / group.length;
  }

  /** How much a word says, the rarer the more. */
  rarity(term: string): number {
    return this.#rarity.get(term) ?? 0;
  }

  #vectorOf(tool: Tool, terms: Vector): Vector {
    const weighted = new Map<string, number>();
    for (const [term, weight] of terms) weighted.set(term, weight * this.rarity(term));
    const length = Math.hypot(...weighted.values()) || 1;
    const share = Math.sqrt(1 - ownerShare);
    const vector = new Map(
      weighted.entries().map(([term, weight]) => [term, share * weight / length]),
    );
    // No word has a space in it
    return vector.set(`owner ${tool.owner.name}`, Math.sqrt(ownerShare));
  }
}

/** The terms of a tool; one that is said often says little more than one that is said twice. */
function termsOf(tool: Tool): Vector {
  const sums = new Map<string, number>();
  for (const { term, weight } of wordsOf(tool)) sums.set(term, (sums.get(term) ?? 0) + weight);
  return new Map(sums.entries().map(([term, sum]) => [term, Math.log1p(sum)]));
}

/** A term that every tool has tells nothing apart. */
function rarityOf(all: readonly Vector[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const terms of all) {
    for (const term of terms.keys()) counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  return new Map(
    counts.entries().map(([term, count]) => [term, Math.log((all.length + 1) / count)]),
  );
}

function product(a: Vector, b: Vector): number {
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  let sum = 0;
  for (const [term, weight] of small) sum += weight * (large.get(term) ?? 0);
  return sum;
}

/** Words that tell `tools` from the `others`, the most telling first, as they are written. */
export function tellingWords(
  tools: readonly Tool[],
  others: readonly Tool[],
): string[] {
  const inside = shares(tools);
  const outside = shares(others);
  const scored = [...inside].map(([term, { share, text }]) => {
    return {
      term,
      text,
      score: share * Math.log((share + 0.02) / ((outside.get(term)?.share ?? 0) + 0.02)),
    };
  });
  return scored.filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || (a.text < b.text ? -1 : 1))
    .map(({ text }) => text);
}

/** The share of tools in whose name, or half as much in whose description, each term stands. */
function shares(tools: readonly Tool[]): Map<string, { share: number; text: string }> {
  const sums = new Map<string, { share: number; text: string }>();
  for (const { name, description } of tools) {
    const own = new Map<string, { weight: number; text: string }>();
    for (const word of [...words(name, 1), ...words(description, 0.5)]) {
      const known = own.get(word.term);
      if (known === undefined || known.weight < word.weight) own.set(word.term, word);
    }
    for (const [term, { weight, text }] of own) {
      const known = sums.get(term);
      // The shortest form of a word is the one to print
      const shown = known === undefined || text.length < known.text.length ? text : known.text;
      sums.set(term, { share: (known?.share ?? 0) + weight / tools.length, text: shown });
    }
  }
  return sums;
}
