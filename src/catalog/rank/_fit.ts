/** Computes how well the first documents of a search fit its query, which its own words decide. */

import type { CatalogueIndex } from "./_catalogue_index.ts";
import type { Document } from "./document.ts";
import { countIn, idf, type Postings, strengthIn } from "./_postings.ts";
import type { Clause, NamedOwners, Query } from "./_query.ts";
import { evidenceSaturation } from "./_scores.ts";
import { operationVerbs, questionWords, stopWords } from "../../text/stop_words.ts";
import { splitWords, toTerm } from "../../text/words.ts";

/** How well the results answer a query. */
export interface Fit {
  /** The share of the query's weight that the first document and its owner have; 1 if they contain it whole. */
  readonly share: number;
  /** The words that no document or owner has. */
  readonly unknown: readonly string[];
  /** True if the first document probably does not answer the query: {@linkcode fitOf}. */
  readonly isWeak: boolean;
  /** True if the query asks for a change. */
  readonly isChange: boolean;
  /** The operation that the query begins with, if the first document does not do it. */
  readonly undone?: string;
}

/** The share of the worth that another word than the query's gets. */
const otherWord = 0.6;
/** The best of so many documents counts for an operation, as much as the first does. */
const maxDoing = 3;
/** Below this sum nothing fits. It and the weights are those of a logistic regression, rounded. */
const minFit = 0.84;
const [shareWeight, scoreWeight] = [0.3, 0.2];
/** Scores grow with the logarithm of the catalogue's size. The sum was measured up to this size. */
const maxMeasured = 400;

interface Found {
  readonly query: Query;
  readonly found: readonly number[];
  readonly named: NamedOwners;
  readonly scores: Float64Array;
  readonly isWhole: (document: number) => boolean;
}

/**
 * Computes the fit. In a request of several sentences, each may have a document of its own. The fit is
 * weak if `done + 0.3 * share + 0.2 * ln score` is small: `done` says how surely the first documents do
 * the operation that the query begins with, `share` is that of the other words, and the score is
 * divided by what catalogues of this size and queries of this length usually give.
 */
export function fitOf(
  { query, found, named, scores, isWhole }: Found,
  index: CatalogueIndex,
  documents: readonly Document[],
): Fit {
  const { inDocuments, inOwners, ownerOf, documentCount, vocabulary } = index;
  const { clauses, unknown, sentenceCount, values } = query;
  const first = found.slice(0, sentenceCount);
  if (first.length === 0 || first.some(isWhole)) {
    return { share: 1, unknown, isWeak: false, isChange: !query.isQuestion };
  }
  const coverage = (clause: Clause, places: readonly Postings[]) => {
    const shares = [...clause.inDocuments, ...clause.inOwners].flatMap(({ term, weight }) => {
      return first.map((document) => {
        const strength = places.reduce((sum, postings) => {
          const entry = postings === inOwners ? ownerOf[document]! : document;
          return sum + strengthIn(postings, term, entry);
        }, 0);
        return (weight === 1 ? 1 : otherWord) * strength / (evidenceSaturation + strength);
      });
    });
    return Math.max(0, ...shares);
  };
  const telling = clauses.filter(({ says, word }) => {
    return says !== "little" && !values.has(word) && !/^\d+$/.test(word);
  });
  const worths = telling.map(({ word }) => {
    const own = vocabulary.find(word);
    return idf(own === undefined ? 0 : countIn(inDocuments, own), documentCount);
  });
  const gains = telling.map((clause, at) =>
    worths[at]! * coverage(clause, [inDocuments, inOwners])
  );
  const ofUnknown = unknown.length * idf(0, documentCount);
  const shareWithout = (left?: number) => {
    const sum = (all: readonly number[]) =>
      all.reduce((sum, each, at) => at === left ? sum : sum + each, 0);
    const all = ofUnknown + sum(worths);
    return all === 0 ? 1 : sum(gains) / all;
  };
  const share = shareWithout();
  const verb = leadingVerb(query, named);
  const at = telling.findIndex(({ word }) => verb !== undefined && word === toTerm(verb));
  const isNear = at !== -1 && coverage(telling[at]!, [inDocuments]) > 0;
  const doing = found.slice(0, maxDoing)
    .map((document) => verb === undefined ? 1 : doneBy(documents[document]!, verb, isNear));
  const done = (doing[0]! + Math.max(...doing)) / 2;
  const usual = Math.log(1 + Math.min(maxMeasured, documentCount)) *
    Math.sqrt(1 + telling.length + unknown.length);
  const score = Math.log(Math.max(scores[first[0]!]!, 0.01) / usual);
  const isWeak = done + shareWeight * shareWithout(at) + scoreWeight * score < minFit;
  return {
    share,
    unknown,
    isWeak,
    isChange: !query.isQuestion,
    ...(doing[0]! < 0.5 && { undone: verb! }),
  };
}

/**
 * Returns the operation with which a query begins, perhaps after the name of an owner; nothing for a
 * question and for several sentences.
 */
function leadingVerb({ words, sentenceCount }: Query, { byTerm }: NamedOwners): string | undefined {
  if (sentenceCount > 1 || questionWords.has(words[0] ?? "")) return undefined;
  const telling = words.filter((word) => !stopWords.has(word));
  const lead = telling.find((word) => !byTerm.has(toTerm(word))) ?? "";
  return operationVerbs.has(lead) ? lead : undefined;
}

/** Finds the verbs in a description: its first word, and others in a list with it. */
const listedVerbs = /(?:^|\b(?:or|and|then)\s+)[a-z]+/giu;

/**
 * Returns how surely a document does what `verb` asks for, between 0 and 1. One that only reads has to
 * begin its name, its description or an example with the verb: a list of "published" releases does
 * not publish. One of unknown effect may do what its text does not say. `isNear` is true if the
 * document has the stem of the verb or a synonym.
 */
function doneBy({ name, description, examples, effect }: Document, verb: string, isNear: boolean) {
  const begins = [name, ...description.match(listedVerbs) ?? []].flatMap(splitWords)
    .concat(examples.map((text) => splitWords(text)[0] ?? ""));
  if (begins.includes(verb)) return 1;
  const isWritten = [description, ...examples].flatMap(splitWords).includes(verb);
  const said = isWritten ? 0.8 : isNear ? 0.7 : 0;
  if (effect === undefined) return Math.max(said, 0.75);
  return effect === "read" ? 0.4 * said : said;
}
