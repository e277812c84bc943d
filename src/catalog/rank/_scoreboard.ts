/**
 * The first pass over the whole catalogue: BM25F on two levels, tools and CLIs.
 *
 * A tool's score is its own words' and its CLI's words', saturated together, and a share of what
 * speaks for its CLI: the best that any of the CLI's tools gives for each word of the query.
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
  readonly #cliStrengths: Float32Array;
  readonly #cliScores: Float64Array;
  readonly #cliHits: Uint16Array;
  readonly #cliEvidence: Float64Array;
  readonly #cliBest: Float64Array;
  /** What share of its CLI's evidence a tool gets, by CLI. */
  readonly #evidenceShares: Float64Array;

  constructor(index: CatalogueIndex, parameters: RankingParameters) {
    this.#index = index;
    this.#parameters = parameters;
    const toolCount = index.tools.length;
    const cliCount = index.clis.length;
    this.scores = new Float64Array(toolCount);
    this.#toolStrengths = new Float32Array(toolCount);
    this.#toolHits = new Uint16Array(toolCount);
    this.#cliStrengths = new Float32Array(cliCount);
    this.#cliScores = new Float64Array(cliCount);
    this.#cliHits = new Uint16Array(cliCount);
    this.#cliEvidence = new Float64Array(cliCount);
    this.#cliBest = new Float64Array(cliCount);
    this.#evidenceShares = Float64Array.from(
      index.cliSizes,
      (size) => parameters.cliEvidence / (1 + parameters.cliEvidenceNorm * Math.log(size)),
    );
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
    this.#cliScores.fill(0);
    this.#cliHits.fill(0);
    this.#cliEvidence.fill(0);
  }

  #addClause(clause: Clause, accepted: Accepted | undefined): ScoredClause {
    const clis = this.#gatherClis(clause);
    const tools = this.#gatherTools(clause, accepted);
    const worth = clause.weight * this.#inverseFrequency(clause, tools, clis, accepted);
    const evidenced = this.#scoreClis(clause, clis, worth);
    this.#scoreTools(clause, tools, worth, evidenced);
    for (const cli of evidenced) {
      this.#cliEvidence[cli]! += this.#cliBest[cli]!;
      this.#cliBest[cli] = 0;
    }
    for (const cli of clis) this.#cliStrengths[cli] = 0;
    return { clause, worth };
  }

  #gatherClis({ alternatives }: Clause): number[] {
    const { starts, documents, strengths } = this.#index.inClis;
    const clis: number[] = [];
    for (const { term, weight } of alternatives) {
      for (let at = starts[term]!; at < starts[term + 1]!; at++) {
        const cli = documents[at]!;
        if (this.#cliStrengths[cli] === 0) clis.push(cli);
        this.#cliStrengths[cli]! += weight * strengths[at]!;
      }
    }
    return clis;
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
    clis: readonly number[],
    accepted: Accepted | undefined,
  ): number {
    const { idfPower, filterStatistics } = this.#parameters;
    const global = idf(this.#index.toolCounts[alternatives[0]!.term]!, this.#index.tools.length);
    if (!accepted) return global ** idfPower;
    const matching = clis.length === 0 ? tools.length : this.#countMatching(accepted);
    const local = idf(matching, accepted.tools.length);
    return ((1 - filterStatistics) * global + filterStatistics * local) ** idfPower;
  }

  #countMatching({ tools }: Accepted): number {
    const { cliOf } = this.#index;
    let count = 0;
    for (const tool of tools) {
      if (this.#toolStrengths[tool] !== 0 || this.#cliStrengths[cliOf[tool]!] !== 0) count++;
    }
    return count;
  }

  /** The CLIs for which something speaks so far. */
  #scoreClis({ hits }: Clause, clis: readonly number[], worth: number): number[] {
    const { saturation, cliEvidenceSaturation } = this.#parameters;
    for (const cli of clis) {
      const strength = this.#cliStrengths[cli]!;
      this.#cliScores[cli]! += worth * strength / (saturation + strength);
      this.#cliBest[cli] = worth * strength / (cliEvidenceSaturation + strength);
      this.#cliHits[cli]! += hits;
    }
    return [...clis];
  }

  #scoreTools(
    { hits }: Clause,
    tools: readonly number[],
    worth: number,
    evidenced: number[],
  ): void {
    const { saturation, cliEvidenceSaturation } = this.#parameters;
    const { cliOf } = this.#index;
    for (const tool of tools) {
      const cli = cliOf[tool]!;
      const shared = this.#cliStrengths[cli]!;
      const strength = this.#toolStrengths[tool]! + shared;
      this.#toolStrengths[tool] = 0;
      // What the CLI alone gives is in its own score already.
      const rise = strength / (saturation + strength) - shared / (saturation + shared);
      this.scores[tool]! += worth * rise;
      if (shared === 0) this.#toolHits[tool]! += hits;
      const evidence = worth * strength / (cliEvidenceSaturation + strength);
      const best = this.#cliBest[cli]!;
      if (best === 0) evidenced.push(cli);
      if (evidence > best) this.#cliBest[cli] = evidence;
    }
  }

  #collect(required: number, accepted: Accepted | undefined): number[] {
    const { cliOf } = this.#index;
    const matches: number[] = [];
    const count = accepted ? accepted.tools.length : this.scores.length;
    for (let place = 0; place < count; place++) {
      const tool = accepted ? accepted.tools[place]! : place;
      const cli = cliOf[tool]!;
      const own = this.scores[tool]! + this.#cliScores[cli]!;
      const isMatch = own > 0 && this.#toolHits[tool]! + this.#cliHits[cli]! >= required;
      this.scores[tool] = isMatch ? own + this.#cliEvidence[cli]! * this.#evidenceShares[cli]! : 0;
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
