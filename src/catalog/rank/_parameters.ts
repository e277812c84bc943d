/**
 * Defines the parameters of the ranking, which `deno task bench search` varies. docs/benchmarks.md says how reliable
 * their values are.
 */

export interface FieldParameters {
  /** What one occurrence of a word in the field adds. */
  readonly weight: number;
  /** 0: the length of a field does not matter; 1: an occurrence in a field twice as long as the mean counts half. */
  readonly lengthNorm: number;
}

/** The values that searches use. Zero switches a parameter off. */
export const defaultParameters = {
  name: { weight: 4, lengthNorm: 0.75 },
  description: { weight: 2, lengthNorm: 1 },
  /** The names, descriptions and values of parameters. */
  parameter: { weight: 0.6, lengthNorm: 0.4 },
  /** Requests in everyday words that the document answers. */
  example: { weight: 1, lengthNorm: 0.75 },
  ownerName: { weight: 6, lengthNorm: 0.6 },
  /** The description, the category and the tags. */
  ownerText: { weight: 2, lengthNorm: 0.6 },

  /** The weight of stop words in short queries; in others they have no weight. */
  stopWord: 0.35,
  /** The weight of words falls along a sentence by this rate for each word. */
  decay: 0.06,
  /** The weight of words in parentheses, quotes, URLs and mail addresses. */
  aside: 0.5,
  /** The weight of two neighbours that the catalogue writes as one word, such as "log in" as `login`. */
  joined: 1,
  /** The weight of a synonym; the word itself has 1. It is halved in long queries, where synonyms mislead more. */
  synonym: 0.2,
  /** The weight of a word that is one edit away from an unknown word. */
  misspelling: 0.6,

  /** The bonus of a name whose words are all in the query, as a share of the most that the query's words can give. */
  nameCovered: 0.08,
  /** The bonus of documents that list what a question asks for, as a share of the most that the word can give. */
  listed: 0.55,
  /** The weight of words in the owner's text, of which words of the document have 1. */
  ownerWords: 0.3,
  /** The weight of evidence: how many words of the query the owner and its documents have. */
  evidence: 1,
  /** The weight of a document's own evidence, for documents of large owners. */
  ownEvidence: 0.35,
  /** The bonus of documents whose owner the query names, as a share of the most that the query's words can give. */
  ownerNamed: 0.2,
  /** The bonus of a text that contains the whole query, as a share of the most that the query's words can give. */
  substring: 0.3,
  /** The bonus of reading tools for questions, and of changing ones for requests, as a share as above. */
  effect: 0.1,
  /** In requests of several sentences, words lose this share of their weight once a better document has them. */
  spread: 1,
};

export type RankingParameters = Readonly<typeof defaultParameters>;
