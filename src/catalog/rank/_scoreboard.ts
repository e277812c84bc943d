/**
 * The first pass over the whole catalogue: BM25F on two levels, tools and owners.
 *
 * A tool's score is its own words' and its owner's words', saturated together, and evidence, which
 * saturates sooner and so counts how many words of the query are covered: a share of the best that
 * any tool of its owner gives for each word, and a share of what it gives itself. Without the second,
 * a program of one tool would get all of its evidence and a server of hundreds next to none.
 */

import type { CatalogueIndex } from "./_catalogue_index.ts";
import type { RankingParameters } from "./_parameters.ts";
import type { Clause, Query } from "./_query.ts";

/** What the passes after the first need to know of a clause. */
export interface ScoredClause {
  readonly clause: Clause;
  /** The most that the clause can give: its weight times its inverse document frequency. */
  readonly worth: number;
}

/** The scores of one query. */
export interface Scores {
  /** Tools that match, ascending. */
  readonly matches: readonly number[];
  readonly clauses: readonly ScoredClause[];
  /** The most that all clauses together can give. */
  readonly worth: number;
}

/** Arrays as long as the catalogue, made once and used for one query at a time. */
export class Scoreboard {
  /** Of the last query; may be added to by later passes. */
  readonly scores: Float64Array;
  readonly #index: CatalogueIndex;
  readonly #parameters: RankingParameters;
  readonly #toolStrengths: Float32Array;
  readonly #toolHits: Uint16Array;
  readonly #ownerStrengths: Float32Array;
  readonly #ownerScores: Float64Array;
  readonly #ownerHits: Uint16Array;
  readonly #ownerEvidence: Float64Array;
  readonly #ownerBest: Float64Array;
  /** What share of its owner's evidence a tool gets, by owner. */
  readonly #evidenceShares: Float64Array;
  /** What share of its own evidence a tool gets besides, by owner. */
  readonly #ownShares: Float64Array;

  constructor(index: CatalogueIndex, parameters: RankingParameters) {
    this.#index = index;
    this.#parameters = parameters;
    const toolCount = index.tools.length;
    const ownerCount = index.owners.length;
    this.scores = new Float64Array(toolCount);
    this.#toolStrengths = new Float32Array(toolCount);
    this.#toolHits = new Uint16Array(toolCount);
    this.#ownerStrengths = new Float32Array(ownerCount);
    this.#ownerScores = new Float64Array(ownerCount);
    this.#ownerHits = new Uint16Array(ownerCount);
    this.#ownerEvidence = new Float64Array(ownerCount);
    this.#ownerBest = new Float64Array(ownerCount);
    this.#evidenceShares = Float64Array.from(
      index.ownerSizes,
      (size) => parameters.ownerEvidence / (1 + parameters.ownerEvidenceNorm * Math.log(size)),
    );
    this.#ownShares = this.#evidenceShares.map((share) => {
      return parameters.ownEvidence * Math.max(0, parameters.ownerEvidence - share);
    });
  }

  /** Scores the `accepted` tools, or all. */
  score(query: Query, accepted: Accepted | undefined): Scores {
    this.#clear();
    const clauses = query.clauses.map((clause) => this.#addClause(clause, accepted));
    const worth = clauses.reduce((sum, clause) => sum + clause.worth, 0);
    return { matches: this.#collect(query.required, accepted), clauses, worth };
  }

  #clear(): void {
    this.scores.fill(0);
    this.#toolHits.fill(0);
    this.#ownerScores.fill(0);
    this.#ownerHits.fill(0);
    this.#ownerEvidence.fill(0);
  }

  #addClause(clause: Clause, accepted: Accepted | undefined): ScoredClause {
    const owners = this.#gatherOwners(clause);
    const tools = this.#gatherTools(clause, accepted);
    const worth = clause.weight * this.#inverseFrequency(clause, tools, owners, accepted);
    const evidenced = this.#scoreOwners(clause, owners, worth);
    this.#scoreTools(clause, tools, worth, evidenced);
    for (const owner of evidenced) {
      this.#ownerEvidence[owner]! += this.#ownerBest[owner]!;
      this.#ownerBest[owner] = 0;
    }
    for (const owner of owners) this.#ownerStrengths[owner] = 0;
    return { clause, worth };
  }

  #gatherOwners({ alternatives }: Clause): number[] {
    const { starts, documents, strengths } = this.#index.inOwners;
    const owners: number[] = [];
    for (const { term, weight } of alternatives) {
      for (let at = starts[term]!; at < starts[term + 1]!; at++) {
        const owner = documents[at]!;
        if (this.#ownerStrengths[owner] === 0) owners.push(owner);
        this.#ownerStrengths[owner]! += weight * strengths[at]!;
      }
    }
    return owners;
  }

  #gatherTools({ alternatives }: Clause, accepted: Accepted | undefined): number[] {
    const { starts, documents, strengths } = this.#index.inTools;
    const tools: number[] = [];
    for (const { term, weight } of alternatives) {
      const end = starts[term + 1]!;
      for (let at = starts[term]!; at < end; at++) {
        const tool = documents[at]!;
        if (accepted && accepted.mask[tool] === 0) continue;
        if (this.#toolStrengths[tool] === 0) tools.push(tool);
        this.#toolStrengths[tool]! += weight * strengths[at]!;
      }
    }
    return tools;
  }

  /** How telling the clause's first word is, in the catalogue and among the accepted tools. */
  #inverseFrequency(
    { alternatives }: Clause,
    tools: readonly number[],
    owners: readonly number[],
    accepted: Accepted | undefined,
  ): number {
    const { idfPower, filterStatistics } = this.#parameters;
    const global = idf(this.#index.toolCounts[alternatives[0]!.term]!, this.#index.tools.length);
    if (!accepted) return global ** idfPower;
    const matching = owners.length === 0 ? tools.length : this.#countMatching(accepted);
    const local = idf(matching, accepted.tools.length);
    return ((1 - filterStatistics) * global + filterStatistics * local) ** idfPower;
  }

  #countMatching({ tools }: Accepted): number {
    const { ownerOf } = this.#index;
    let count = 0;
    for (const tool of tools) {
      if (this.#toolStrengths[tool] !== 0 || this.#ownerStrengths[ownerOf[tool]!] !== 0) count++;
    }
    return count;
  }

  /** The owners for which something speaks so far. */
  #scoreOwners({ hits }: Clause, owners: readonly number[], worth: number): number[] {
    const { saturation, ownerEvidenceSaturation } = this.#parameters;
    for (const owner of owners) {
      const strength = this.#ownerStrengths[owner]!;
      const evidence = worth * strength / (ownerEvidenceSaturation + strength);
      const own = this.#ownShares[owner]! * evidence;
      this.#ownerScores[owner]! += worth * strength / (saturation + strength) + own;
      this.#ownerBest[owner] = evidence;
      this.#ownerHits[owner]! += hits;
    }
    return [...owners];
  }

  #scoreTools(
    { hits }: Clause,
    tools: readonly number[],
    worth: number,
    evidenced: number[],
  ): void {
    const { saturation, ownerEvidenceSaturation } = this.#parameters;
    const { ownerOf } = this.#index;
    for (const tool of tools) {
      const owner = ownerOf[tool]!;
      const shared = this.#ownerStrengths[owner]!;
      const strength = this.#toolStrengths[tool]! + shared;
      this.#toolStrengths[tool] = 0;
      // What the owner alone gives is in its own score already.
      const rise = strength / (saturation + strength) - shared / (saturation + shared);
      const evidence = worth * strength / (ownerEvidenceSaturation + strength);
      const ofOwner = worth * shared / (ownerEvidenceSaturation + shared);
      this.scores[tool]! += worth * rise + this.#ownShares[owner]! * (evidence - ofOwner);
      if (shared === 0) this.#toolHits[tool]! += hits;
      const best = this.#ownerBest[owner]!;
      if (best === 0) evidenced.push(owner);
      if (evidence > best) this.#ownerBest[owner] = evidence;
    }
  }

  #collect(required: number, accepted: Accepted | undefined): number[] {
    const { ownerOf } = this.#index;
    const matches: number[] = [];
    const count = accepted ? accepted.tools.length : this.scores.length;
    for (let place = 0; place < count; place++) {
      const tool = accepted ? accepted.tools[place]! : place;
      const owner = ownerOf[tool]!;
      const own = this.scores[tool]! + this.#ownerScores[owner]!;
      const isMatch = own > 0 && this.#toolHits[tool]! + this.#ownerHits[owner]! >= required;
      this.scores[tool] = isMatch
        ? own + this.#ownerEvidence[owner]! * this.#evidenceShares[owner]!
        : 0;
      if (isMatch) matches.push(tool);
    }
    return matches;
  }
}

/** The tools that a filter lets through. */
export interface Accepted {
  readonly tools: readonly number[];
  /** 1 for those tools, by tool. */
  readonly mask: Uint8Array;
}

/** Inverse document frequency, never negative. */
export function idf(matching: number, total: number): number {
  return Math.log(1 + (total - matching + 0.5) / (matching + 0.5));
}
