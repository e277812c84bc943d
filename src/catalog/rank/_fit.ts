/** Computes how well the first results of a search fit the query. */

import type { CatalogueIndex } from "./_catalogue_index.ts";
import type { Document } from "./document.ts";
import { countIn, idf, strengthIn } from "./_postings.ts";
import type { Clause, NamedOwners, Query } from "./_query.ts";
import { evidenceSaturation } from "./_scores.ts";
import { objectVerbs, operationVerbs, questionWords, stopWords } from "../../text/stop_words.ts";
import { splitWords, toTerm } from "../../text/words.ts";

export interface Fit {
  readonly unknown: readonly string[];
  /** True if the first document probably does not answer the query. */
  readonly isWeak: boolean;
  /** True if it is not sure that the first document answers the query. */
  readonly isDoubtful: boolean;
  readonly isChange: boolean;
  /** The verb of the query, if the first document does not do what the verb says. */
  readonly undone?: string;
}

const otherWord = 0.6;
const maxHaving = 3;
/** The bounds of a weak and of a sure fit, which {@linkcode fitOf} computes; found by logistic regression. */
const [minFit, minSure] = [0.73, 1.03];
const enough = 0.4;
const maxMeasured = 400;

interface Found {
  readonly query: Query;
  readonly found: readonly number[];
  readonly named: NamedOwners;
  readonly scores: Float64Array;
  readonly whole: ReadonlyMap<number, unknown>;
}

/**
 * Returns how surely the first document answers the query: by its score, the query's verb, and nouns and words of the
 * query that no document has.
 */
export function fitOf(
  { query, found, named, scores, whole }: Found,
  index: CatalogueIndex,
  documents: readonly Document[],
): Fit {
  const { inDocuments, inOwners, ownerOf, documentCount, vocabulary } = index;
  const { clauses, unknown, sentenceCount, values, isQuestion } = query;
  const first = found.slice(0, sentenceCount);
  const start = verbOf(query, named);
  const verb = [query.words[start] ?? ""].find((word) => operationVerbs.has(word));
  const telling = clauses.filter(({ says, word }) => says !== "little" && !isValue(word, values));
  const most = idf(0, documentCount);
  const worthOf = (word: string) => {
    const own = vocabulary.find(word);
    return own === undefined ? most : idf(countIn(inDocuments, own), documentCount);
  };
  const supportOf = ({ inDocuments: own, inOwners: ofOwner }: Clause, documents: typeof found) => {
    const supports = [...own, ...ofOwner].flatMap((each) => {
      return documents.map((document) => {
        const strength = strengthIn(inDocuments, each.term, document) +
          strengthIn(inOwners, each.term, ownerOf[document]!);
        return (each.weight === 1 ? 1 : otherWord) * strength / (evidenceSaturation + strength);
      });
    });
    return Math.max(0, ...supports);
  };
  const operation = telling.find(({ word }) => word === toTerm(verb ?? ""));
  const said = operation ? supportOf(operation, first) * worthOf(operation.word) / most : 0;
  const lacks = (start < 0 ? [] : objectsOf(query, start)).map((word) => {
    const clause = clauses.find((each) => each.word === toTerm(word));
    if (clause === undefined) return 1;
    return (1 - supportOf(clause, found.slice(0, maxHaving))) * worthOf(clause.word) / most;
  });
  const [best] = first;
  const isNear = best !== undefined &&
    operation?.inDocuments.some(({ term }) => strengthIn(inDocuments, term, best) > 0) === true;
  const done = verb && best !== undefined ? doneBy(documents[best]!, verb, isNear) : 1;
  const isNamed = verb === undefined && values.size > 0 && telling.length + unknown.length <= 1;
  const hasAll = done > enough && unknown.length === 0 &&
    telling.every((clause) => supportOf(clause, first) > enough);
  const isFound = isNamed || hasAll || best === undefined ||
    first.some((document) => whole.has(document));
  const usual = Math.log(1 + Math.min(maxMeasured, documentCount));
  const score = Math.log(Math.max(scores[best ?? 0]!, 0.01) / usual);
  const share = unknown.length / Math.max(1, telling.length + unknown.length);
  const sum = done + (score - (1 - said) * Math.max(0, ...lacks) - share) / 2;
  const isWeak = !isFound && sum < minFit;
  const isDoubtful = isWeak || !isFound && sum < minSure && telling.length + unknown.length > 1;
  const isUndone = !isFound && done < enough;
  return {
    unknown,
    isWeak,
    isDoubtful,
    isChange: !isQuestion,
    ...(isUndone && { undone: verb! }),
  };
}

const afterNouns = new Set("are at between by for from is of".split(" "));
const determiners = new Set(
  "a all an any each every her his its me my our some that the their these this those us your"
    .split(" "),
);
const objectPrepositions = new Set("into onto to with".split(" "));

function verbOf({ words, sentenceCount }: Query, { byTerm }: NamedOwners): number {
  if (sentenceCount > 1 || questionWords.has(words[0] ?? "")) return -1;
  const from = words.lastIndexOf("please");
  const at = words.findIndex((word, place) =>
    place > from && !stopWords.has(word) && !byTerm.has(toTerm(word))
  );
  const isNoun = determiners.has(words[at - 1] ?? "") || afterNouns.has(words[at + 1] ?? "");
  return objectVerbs.has(words[at] ?? "") && !isNoun ? at : -1;
}

function objectsOf({ words, values }: Query, verb: number): string[] {
  const isEnd = (at: number) => at === verb || stopWords.has(words[at] ?? "of");
  return words.filter((_, head) => {
    if (head <= verb || isEnd(head) || !isEnd(head + 1)) return false;
    const start = words.findLastIndex((_, at) => at < head && isEnd(at));
    const before = words.findLastIndex((each, at) => at <= start && !determiners.has(each));
    const isObject = before === verb || objectPrepositions.has(words[before] ?? "");
    return isObject &&
      !words.slice(start + 1, head + 1).some((each) => isValue(toTerm(each), values));
  });
}

function isValue(term: string, values: Query["values"]): boolean {
  return values.has(term) || /^\d+$/.test(term);
}

const listedVerbs = /(?:^|\b(?:or|and|then)\s+)[a-z]+/giu;

function doneBy({ name, description, examples, effect }: Document, verb: string, isNear: boolean) {
  const begins = [name, ...description.match(listedVerbs) ?? []].flatMap(splitWords)
    .concat(examples.map((text) => splitWords(text)[0] ?? ""));
  if (begins.includes(verb)) return 1;
  const isWritten = [description, ...examples].flatMap(splitWords).includes(verb);
  const said = isWritten ? 0.8 : isNear ? 0.7 : 0;
  if (effect === undefined) return Math.max(said, 0.75);
  return effect === "read" ? 0.4 * said : said;
}
