/**
 * The numbers of the ranking, each an ingredient that the benchmark can switch off.
 *
 * Round values, tuned on the benchmark's sets; see `bench/ladder.ts` for what each is worth, and
 * docs/search.md for how far to trust that.
 */

/** How one field of a tool counts. */
export interface FieldParameters {
  /** What one occurrence of a word adds. */
  readonly weight: number;
  /** 0: length is ignored; 1: an occurrence in a field twice as long as the mean counts half. */
  readonly lengthNorm: number;
}

/** Everything that can be tuned; zero (or `false`) switches an ingredient off. */
export interface RankingParameters {
  readonly name: FieldParameters;
  readonly description: FieldParameters;
  readonly argName: FieldParameters;
  readonly argDescription: FieldParameters;
  /** Requests that the tool answers, in people's words. */
  readonly example: FieldParameters;
  readonly ownerName: FieldParameters;
  readonly ownerDescription: FieldParameters;
  readonly category: FieldParameters;
  readonly tag: FieldParameters;

  /** Weighted occurrences at which a word has given half of what it can give. @default 3 */
  readonly saturation: number;
  /** Exponent of the inverse document frequency. @default 0.8 */
  readonly idfPower: number;

  /** Porter stems. @default true */
  readonly stemming: boolean;
  /** Leave out words that say nothing. @default true */
  readonly dropStopWords: boolean;
  /** Read adjacent words as one too: "log in" as login. @default true */
  readonly joining: boolean;
  /** Read rare long words of tool names as words of the catalogue: getimage as get image. @default true */
  readonly compounds: boolean;

  /** What an occurrence of a synonym counts beside one of the word itself. @default 0.1 */
  readonly synonym: number;
  /** The same where one program is searched, and so fewer words mislead. @default 0.2 */
  readonly synonymWithinOwner: number;
  /** The same in a tool's name, where few words mislead. @default 0.5 */
  readonly synonymInName: number;
  /** What a word one edit away from an unknown word counts. @default 0.6 */
  readonly misspelling: number;

  /** Extra weight of the first word of a sentence that says something, often the verb. @default 0.15 */
  readonly firstWord: number;
  /** How fast words lose weight along a sentence, per word. @default 0.03 */
  readonly decay: number;
  /** Weight of words in parentheses. @default 0.5 */
  readonly parenthesised: number;
  /** Weight of words in quotes, URLs and mail addresses, which are values more than intent. @default 0.5 */
  readonly literal: number;

  /** Share of its owner's evidence, from all of the owner's tools together, that a tool gets. @default 1 */
  readonly ownerEvidence: number;
  /** `saturation` where evidence for an owner is gathered: low, so that coverage decides. @default 0.6 */
  readonly ownerEvidenceSaturation: number;
  /** How much less evidence counts for owners of many tools, per natural logarithm of their number. @default 0.35 */
  readonly ownerEvidenceNorm: number;
  /** How much of the share that a tool of a large owner lacks it gets of its own evidence. @default 0.35 */
  readonly ownEvidence: number;
  /** Bonus of tools whose owner the query names, as a share of what the query can give. @default 0.2 */
  readonly ownerNamed: number;
  /** Exponent of how rare its name is elsewhere, which that bonus is multiplied by. @default 3 */
  readonly ownerNamedRarity: number;
  /** Additional bonus if the query begins with the owner's name. @default 0.2 */
  readonly ownerNamedFirst: number;

  /** Bonus for a name whose words the query all has. @default 0.1 */
  readonly nameCoverage: number;
  /** The same where one program is searched. @default 0.3 */
  readonly nameCoverageWithinOwner: number;
  /** Bonus for neighbours in the query that are neighbours in a tool's text. @default 0.2 */
  readonly adjacency: number;
  /** Bonus for text that contains the whole query, as a share of what the query can give. @default 2 */
  readonly substring: number;
  /** How much the filter's own statistics replace the catalogue's. @default 0.3 */
  readonly filterStatistics: number;
  /** In requests of several sentences, how much less words count that a better tool has matched. @default 1 */
  readonly spread: number;
}

/** The ranking's own values. */
export const defaultParameters: RankingParameters = {
  name: { weight: 4, lengthNorm: 0.75 },
  description: { weight: 2, lengthNorm: 1 },
  argName: { weight: 0.5, lengthNorm: 0.25 },
  argDescription: { weight: 0.5, lengthNorm: 0.25 },
  example: { weight: 1, lengthNorm: 0.75 },
  ownerName: { weight: 6, lengthNorm: 0.6 },
  ownerDescription: { weight: 2, lengthNorm: 0.6 },
  category: { weight: 1, lengthNorm: 0.6 },
  tag: { weight: 1, lengthNorm: 0.6 },
  saturation: 3,
  idfPower: 0.8,
  stemming: true,
  dropStopWords: true,
  joining: true,
  compounds: true,
  synonym: 0.1,
  synonymWithinOwner: 0.2,
  synonymInName: 0.5,
  misspelling: 0.6,
  firstWord: 0.15,
  decay: 0.03,
  parenthesised: 0.5,
  literal: 0.5,
  ownerEvidence: 1,
  ownerEvidenceSaturation: 0.6,
  ownerEvidenceNorm: 0.35,
  ownEvidence: 0.35,
  ownerNamed: 0.2,
  ownerNamedRarity: 3,
  ownerNamedFirst: 0.2,
  nameCoverage: 0.1,
  nameCoverageWithinOwner: 0.3,
  adjacency: 0.2,
  substring: 2,
  filterStatistics: 0.3,
  spread: 1,
};
