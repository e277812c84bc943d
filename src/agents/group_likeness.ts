/** Measures the similarity of tools: the cosine of their weighted words, and a share for a common owner. */

import type { Tool } from "../tool/tool.ts";
import { stemmer } from "stemmer";

/** Most tools that are compared: memory grows with the square of their number. */
export const maxComparedTools = 2000;

/** The weight of a common owner. That of the words is the rest of 1. */
const ownerShare = 0.35;

type Vector = ReadonlyMap<string, number>;

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

  /** From 0 to 1. */
  between(a: string, b: string): number {
    return product(this.#vectors.get(a)!, this.#vectors.get(b)!);
  }

  /** Average similarity of the tool `name` to the others of `group`. */
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

  within(group: readonly string[]): number {
    if (group.length < 2) return 1;
    return group.reduce((sum, name) => sum + this.toGroup(name, group), 0) / group.length;
  }

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
    // No word is the same, because words have no spaces
    return vector.set(`owner ${tool.owner.name}`, Math.sqrt(ownerShare));
  }
}

/** Returns the weight of each term of a tool. It grows slowly with repeats. */
function termsOf(tool: Tool): Vector {
  const sums = new Map<string, number>();
  for (const { term, weight } of wordsOf(tool)) sums.set(term, (sums.get(term) ?? 0) + weight);
  return new Map(sums.entries().map(([term, sum]) => [term, Math.log1p(sum)]));
}

/** Returns how rare each term is. A term of every tool has almost no weight. */
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

/** Returns words that distinguish `tools` from the `others`, the best first, as they are written. */
export function distinctiveWords(tools: readonly Tool[], others: readonly Tool[]): string[] {
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

/** Returns the share of tools that have each term in their name, or at half weight in their description. */
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
      // The shortest form of a word is shown
      const shortest = known === undefined || text.length < known.text.length ? text : known.text;
      sums.set(term, { share: (known?.share ?? 0) + weight / tools.length, text: shortest });
    }
  }
  return sums;
}

/** A word, and the form that it is compared by. */
interface Word {
  readonly text: string;
  readonly term: string;
  readonly weight: number;
}

/** The weight of a word by its place. */
const weights = { name: 3, description: 1, argument: 0.5, owner: 2, category: 1 };

/** Words that any description may have. */
const fillers: ReadonlySet<string> = new Set(
  `a about above after again all also an and any are as at be been before being below between both
  but by can cannot could did do does each either every for from further given had has have how if
  in into is it its like may more most must new no nor not now of off on once one only or other out
  over own per same shall should so some specific specified such than that the their them then there
  these they this those through to tool tools too under until up use used uses using via was we were
  what when where whether which while who will with within without would you your`.split(/\s+/),
);

/** Returns the words of a tool, with repeats. */
function wordsOf(tool: Tool): Word[] {
  const { owner } = tool;
  return [
    ...words(tool.name, weights.name),
    ...words(tool.description, weights.description),
    ...tool.args.flatMap((arg) => words(arg.name, weights.argument)),
    ...words(owner.name, weights.owner),
    ...words(owner.category ?? "", weights.category),
  ];
}

/** Returns the words of a text without fillers. */
function words(text: string, weight = 1): Word[] {
  const parts = text.normalize("NFKC").split(/(?<=[a-z0-9])(?=[A-Z])|[^\p{L}\p{N}\p{M}]+/u);
  return parts.map((part) => part.toLowerCase())
    .filter((part) => part.length > 1 && !fillers.has(part) && !/^\d+$/.test(part))
    .map((part) => ({ text: part, term: /^[a-z]{3,}$/.test(part) ? stemmer(part) : part, weight }));
}
