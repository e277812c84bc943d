/**
 * Why a tool stands where it does: what each step of a search added to its score, and the words that
 * were found. It looks on while a search runs, so that what it says is what was done.
 */

import { strengthIn } from "./_postings.ts";
import type { CatalogueIndex } from "./_catalogue_index.ts";
import type { Scores } from "./_scoreboard.ts";

/** The steps of a search that add to scores, in their order. */
export const rankSteps = ["words", "named program", "whole query", "name and neighbours"] as const;

/** One of {@linkcode rankSteps}. */
export type RankStep = typeof rankSteps[number];

/** Told after each step, and of what the first made of the query. */
export interface Onlooker {
  after(step: RankStep): void;
  scored(scores: Scores): void;
}

/** A word of the catalogue that stood for one of the query's. */
export interface FoundWord {
  /** Stemmed. */
  readonly word: string;
  /** How much of its worth is said by the tool's own text, and by that of its owner; no unit. */
  readonly inTool: number;
  readonly inOwner: number;
}

/** What a search made of one tool, given by its index. */
export interface ExplainedTool {
  readonly tool: number;
  readonly score: number;
  /** What each step added; their sum is the score. */
  readonly steps: Readonly<Record<RankStep, number>>;
  readonly words: readonly FoundWord[];
}

/** Keeps what the steps of one search came to. */
export class Explanation implements Onlooker {
  readonly #index: CatalogueIndex;
  readonly #scores: Float64Array;
  readonly #after = new Map<RankStep, Float64Array>();
  #scored: Scores | undefined;

  /** Nothing has been seen of a search that scores tools of `index` in `scores`. */
  constructor(index: CatalogueIndex, scores: Float64Array) {
    this.#index = index;
    this.#scores = scores;
  }

  after(step: RankStep): void {
    this.#after.set(step, this.#scores.slice());
  }

  scored(scores: Scores): void {
    this.#scored = scores;
  }

  /** Why `tool` stands where it does. */
  of(tool: number): ExplainedTool {
    let before = 0;
    const steps = rankSteps.map((step) => {
      const now = this.#after.get(step)?.[tool] ?? before;
      const added = now - before;
      before = now;
      return [step, added] as const;
    });
    return {
      tool,
      score: before,
      steps: Object.fromEntries(steps) as Record<RankStep, number>,
      words: this.#wordsOf(tool),
    };
  }

  /** For each word of the query, the one that stands for it best here. */
  #wordsOf(tool: number): FoundWord[] {
    const { inTools, inOwners, ownerOf, vocabulary } = this.#index;
    const owner = ownerOf[tool]!;
    return (this.#scored?.clauses ?? []).flatMap(({ clause }) => {
      const [best] = clause.alternatives.map(({ term, weight }) => ({
        word: vocabulary.terms[term]!,
        inTool: weight * strengthIn(inTools, term, tool),
        inOwner: weight * strengthIn(inOwners, term, owner),
      })).sort((a, b) => b.inTool + b.inOwner - a.inTool - a.inOwner);
      return best !== undefined && best.inTool + best.inOwner > 0 ? [best] : [];
    });
  }
}
