/** The parameters of the ranking. `deno task bench search` varies them. */

export interface FieldParameters {
  /** The strength of one occurrence of a word. */
  readonly weight: number;
  /** From 0, where length does not matter, to 1: in a field twice as long as the mean, an occurrence counts half. */
  readonly lengthNorm: number;
}

/** Zero switches a parameter off. */
export const defaultParameters = {
  name: { weight: 4, lengthNorm: 0.75 },
  description: { weight: 2, lengthNorm: 1 },
  parameter: { weight: 0.6, lengthNorm: 0.4 },
  example: { weight: 1, lengthNorm: 0.75 },
  ownerName: { weight: 6, lengthNorm: 0.6 },
  /** Description, category and tags. */
  ownerText: { weight: 2, lengthNorm: 0.6 },

  /** The weight of stop words in short queries; in longer queries, stop words have no weight. */
  stopWord: 0.35,
  /** The weight of a word in a sentence falls by this rate with each word in front. */
  decay: 0.06,
  /** The weight of words in parentheses, quotes and URLs. */
  aside: 0.5,
  /** The weight of two words that the catalogue writes as one, such as "log in" as `login`. */
  joined: 1,
  /** The weight of a synonym, beside 1 of the word itself; half in long queries, where synonyms mislead more. */
  synonym: 0.2,
  /** The weight of a word of the catalogue at one edit from an unknown word of the query. */
  misspelling: 0.6,

  // A bonus is a share of the most that the words of the query can give

  /** The bonus of a name whose words are all in the query. */
  nameCovered: 0.08,
  /** The bonus of documents that list what a question asks for, as a share of the most that this word can give. */
  listed: 0.55,
  /** The weight of words in the text of the owner, beside 1 of words in the document. */
  ownerWords: 0.3,
  /** The weight of evidence: how many words of the query the owner and its documents have. */
  evidence: 1,
  /** The weight of a document's own evidence, for documents of large owners. */
  ownEvidence: 0.35,
  /** The bonus of documents whose owner the query names. */
  ownerNamed: 0.2,
  /** The bonus of a text that contains the whole query. */
  substring: 0.3,
  /** The bonus of tools that read for a question, and of tools that change something for a request. */
  effect: 0.1,
  /** In a query of several sentences, a word loses this share of its weight once a better document has the word. */
  spread: 1,
};

export type RankingParameters = Readonly<typeof defaultParameters>;
