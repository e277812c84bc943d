/** The ingredients of the ranking, for `deno task bench search`. docs/benchmarks.md says how far to trust their values. */

/** How one field counts. */
export interface FieldParameters {
  /** What one occurrence of a word adds. */
  readonly weight: number;
  /** 0: length is ignored; 1: an occurrence in a field twice as long as the mean counts half. */
  readonly lengthNorm: number;
}

/** The ranking's own values; zero switches an ingredient off. */
export const defaultParameters = {
  name: { weight: 4, lengthNorm: 0.75 },
  description: { weight: 2, lengthNorm: 1 },
  /** Names, descriptions and values of parameters. */
  parameter: { weight: 0.6, lengthNorm: 0.4 },
  /** Requests that the document answers, in people's words. */
  example: { weight: 1, lengthNorm: 0.75 },
  ownerName: { weight: 6, lengthNorm: 0.6 },
  /** Description, category and tags. */
  ownerText: { weight: 2, lengthNorm: 0.6 },

  /** Weight of stop words in short queries; in others they have none. */
  stopWord: 0.35,
  /** How fast words lose weight along a sentence, per word. */
  decay: 0.06,
  /** Weight of words in parentheses, quotes, URLs and mail addresses. */
  aside: 0.5,
  /** Weight of two neighbours that the catalogue writes as one word: "log in" as login. */
  joined: 1,
  /** Weight of "A to B" as one word, which "B to A" is not. */
  direction: 0.5,
  /** What a synonym counts beside the word itself; half in long queries, in which more mislead. */
  synonym: 0.2,
  /** What a word one edit away from an unknown word counts. */
  misspelling: 0.6,

  /** Bonus for a name whose words the query all has, as a share of what words can give. */
  nameCovered: 0.08,
  /** Bonus for a name whose words are all of the query's, as a share of what words can give. */
  wholeName: 0.3,
  /** Bonus for documents that list what a question asks for, as a share of what that word can give. */
  listed: 0.55,
  /** What the owner's words count beside the document's own. */
  ownerWords: 0.3,
  /** What it counts how many words of the query the owner and its documents cover. */
  evidence: 1,
  /** What a document of a large owner gets of its own evidence instead. */
  ownEvidence: 0.35,
  /** Bonus where the query names the owner, as a share of what words can give. */
  ownerNamed: 0.2,
  /** Bonus for text that contains the whole query, as a share of what words can give. */
  substring: 0.3,
  /** What a question prefers reading to destroying by, as a share of what words can give. */
  effect: 0.1,
  /** In requests of several sentences, how much less words count that a better document has. */
  spread: 1,
};

/** Everything that can be tuned. */
export type RankingParameters = Readonly<typeof defaultParameters>;
