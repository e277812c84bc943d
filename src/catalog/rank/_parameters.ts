/**
 * Defines the ingredients of the ranking for `deno task bench search`. docs/benchmarks.md says how
 * reliable their values are.
 */

export interface FieldParameters {
  /** One occurrence of a word in this field adds this weight. */
  readonly weight: number;
  /** With 0, length is ignored; with 1, an occurrence in a field twice as long as the mean counts half. */
  readonly lengthNorm: number;
}

/** These are the ranking's own values. Zero switches an ingredient off. */
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

  /** The weight of stop words in short queries; in other queries they have none. */
  stopWord: 0.35,
  /** Words lose weight along a sentence by this rate per word. */
  decay: 0.06,
  /** The weight of words in parentheses, quotes, URLs and mail addresses. */
  aside: 0.5,
  /** The weight of two neighbours that the catalogue writes as one word: "log in" as login. */
  joined: 1,
  /** The weight of a synonym beside the word itself. It is halved in long queries, where synonyms mislead more. */
  synonym: 0.2,
  /** The weight of a word that is one edit away from an unknown word. */
  misspelling: 0.6,

  /** The bonus for a name whose words are all in the query, as a share of the most that words can give. */
  nameCovered: 0.08,
  /** The bonus for documents that list what a question asks for, as a share of the most that the word can give. */
  listed: 0.55,
  /** The weight of the owner's words beside the document's own. */
  ownerWords: 0.3,
  /** The weight of the number of query words that the owner and its documents cover. */
  evidence: 1,
  /** A document of a large owner gets its own evidence with this weight instead. */
  ownEvidence: 0.35,
  /** The bonus for a query that names the owner, as a share of the most that words can give. */
  ownerNamed: 0.2,
  /** The bonus for a text that contains the whole query, as a share of the most that words can give. */
  substring: 0.3,
  /** A question prefers reading, and a request changing, by this share of the most that words can give. */
  effect: 0.1,
  /** In requests of several sentences, words lose this share of their weight when a better document has them. */
  spread: 1,
};

export type RankingParameters = Readonly<typeof defaultParameters>;
