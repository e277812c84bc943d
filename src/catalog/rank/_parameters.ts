/** How much each ingredient of the ranking counts. `deno task bench search` measures other values. */

export interface FieldParameters {
  /** How much one occurrence of a word in this field counts. */
  readonly weight: number;
  /** 0: the length of a field does not matter. 1: in a field twice as long as the mean, a word counts half. */
  readonly lengthNorm: number;
}

/** The best values found. At 0, an ingredient has no influence. */
export const defaultParameters = {
  name: { weight: 4, lengthNorm: 0.75 },
  description: { weight: 2, lengthNorm: 1 },
  parameter: { weight: 0.6, lengthNorm: 0.4 },
  example: { weight: 1, lengthNorm: 0.75 },
  ownerName: { weight: 6, lengthNorm: 0.6 },
  ownerText: { weight: 2, lengthNorm: 0.6 },

  /** The weight of stop words such as "the" in short queries, beside 1 of other words; in longer queries it is 0. */
  stopWord: 0.35,
  /** The n-th word of a sentence counts `1 / (1 + decay * n)`, from 0 and at least ½: first words say most. */
  decay: 0.06,
  /** How much words of a query in parentheses, quotes and URLs count, beside 1 of its other words. */
  aside: 0.5,
  /** How much two words of a query count as one, such as "log in" for `login`, if the catalogue writes one word. */
  joined: 1,
  /** How much a synonym of a query's word counts, beside 1 of the word; in long queries half of this. */
  synonym: 0.2,
  /** How much a similar word counts, one edit away, if the catalogue lacks the query's word. */
  misspelling: 0.6,

  // Each bonus below is a share of the best score that the words of the query can give

  /** The bonus of a tool if the query has all words of its name. */
  nameCovered: 0.08,
  /** The bonus of tools that list what a question asks for, as a share of the most that this one word can give. */
  listed: 0.55,
  /** How much a word in the text of the owner counts, beside 1 of a word in the document itself. */
  ownerWords: 0.3,
  /** How much all tools of an owner gain by the words of the query that the owner and any of its tools have. */
  evidence: 1,
  /** How much a tool of a large owner, whose tools gain less together, gains by the words that it has itself. */
  ownEvidence: 0.35,
  /** The bonus of tools whose owner the query names. */
  ownerNamed: 0.2,
  /** The bonus of a tool whose text, or whose owner's text, contains the whole query. */
  substring: 0.3,
  /** The bonus of tools that read, for a question, and of tools that change something, for a request. */
  effect: 0.1,
  /** In a query of several sentences, a word loses this share of its weight once a better result has it. */
  spread: 1,
};

export type RankingParameters = Readonly<typeof defaultParameters>;
