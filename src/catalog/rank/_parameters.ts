/** How much each ingredient of the ranking counts. `deno task bench search` measures other values. */

export interface FieldParameters {
  /** How much one occurrence of a word in this field counts. */
  readonly weight: number;
  /** 0: the length of a field does not matter. 1: in a field twice as long as the mean, a word counts half. */
  readonly lengthNorm: number;
}

/** The best values that were found with `deno task bench search`. */
export const defaultParameters = {
  name: { weight: 4, lengthNorm: 0.75 },
  description: { weight: 2, lengthNorm: 1 },
  parameter: { weight: 0.6, lengthNorm: 0.4 },
  example: { weight: 1, lengthNorm: 0.75 },
  ownerName: { weight: 6, lengthNorm: 0.6 },
  ownerText: { weight: 2, lengthNorm: 0.6 },

  /** The weight of stop words such as "the" in short queries where other words count 1; in longer queries it is 0. */
  stopWord: 0.35,
  /** Word n of a sentence, from 0, counts `1 / (1 + decay * n)`, at least ½: the first words say most. */
  decay: 0.06,
  /** How much words of a query in parentheses, quotes and URLs count where its other words count 1. */
  aside: 0.5,
  joined: 1,
  /** How much a synonym of a query's word counts where the word itself counts 1; in long queries half of this. */
  synonym: 0.2,
  misspelling: 0.6,

  /** The bonus of a tool if the query has all words of its name. */
  nameCovered: 0.08,
  listed: 0.55,
  ownerWords: 0.3,
  evidence: 1,
  ownEvidence: 0.35,
  /** The bonus of tools whose owner the query names. */
  ownerNamed: 0.2,
  /** The bonus of a tool whose text, or whose owner's text, contains the whole query. */
  substring: 0.3,
  /** The bonus of tools that read, for a question, and of tools that change something, for a request. */
  effect: 0.1,
  spread: 1,
};

export type RankingParameters = Readonly<typeof defaultParameters>;
