/**
 * Everything the ranking knows about a catalogue, built once and in typed arrays.
 *
 * Text stands on two levels that are never counted together: a document's own words, by document, and
 * what all documents of an owner share (its name, description, category and tags), by owner.
 */

import { addCompoundParts } from "./_compounds.ts";
import type { Document, DocumentOwner } from "./document.ts";
import { documentFields, FieldReader, nameWords, ownerFields } from "./_fields.ts";
import type { RankingParameters } from "./_parameters.ts";
import {
  buildPostings,
  countIn,
  idf,
  type Postings,
  type Segment,
  sliceSize,
} from "./_postings.ts";
import { isPlural, listVerbs, stopWords } from "../../text/stop_words.ts";
import { buildSubstrings, type Substrings } from "./_substring.ts";
import { Vocabulary } from "./_vocabulary.ts";
import { splitWords } from "../../text/words.ts";

/** A catalogue, ready to be searched. Documents and owners are numbered from 0 in load order. */
export interface CatalogueIndex {
  readonly documentCount: number;
  readonly vocabulary: Vocabulary;
  /** The owner of each document. */
  readonly ownerOf: Uint32Array;
  /** How many documents each owner has. */
  readonly ownerSizes: Uint32Array;
  readonly inDocuments: Postings;
  readonly inOwners: Postings;
  /** The telling words of the documents' names. */
  readonly inNames: Postings;
  /** What all of a name's telling words are worth together. */
  readonly nameWorth: Float32Array;
  /** The plural nouns of documents that list. */
  readonly inLists: Postings;
  readonly effectOf: readonly Document["effect"][];
  /** Names and descriptions. */
  readonly documentText: Substrings;
  /** Names, categories and tags. */
  readonly ownerText: Substrings;
  /** Owners by the words of their name, joined by a space. */
  readonly ownersByName: ReadonlyMap<string, readonly number[]>;
}

/** Reads the whole catalogue. Others may have their turn wherever it yields. */
export function* buildIndex(
  documents: readonly Document[],
  parameters: RankingParameters,
): Generator<void, CatalogueIndex> {
  const vocabulary = new Vocabulary();
  const reader = new FieldReader(vocabulary);
  const { owners, ownerOf, ownerSizes } = yield* numberOwners(documents);
  const segments = yield* inSlices(documents, (document) => reader.readDocument(document));
  const ownerSegments = yield* inSlices(owners, (owner) => reader.readOwner(owner));
  const names = yield* inSlices(documents, nameWords);
  const compounds = yield* addCompoundParts(names, segments, vocabulary);
  vocabulary.close();
  const termCount = vocabulary.terms.length;
  const rareOnly = new Set([...stopWords].flatMap((word) => vocabulary.find(word) ?? []));
  const inDocuments = yield* buildPostings(segments, {
    fields: documentFields.map((field) => parameters[field]),
    termCount,
    rareOnly,
  });
  const inOwners = yield* buildPostings(ownerSegments, {
    fields: ownerFields.map((field) => parameters[field]),
    termCount,
    rareOnly,
  });
  return {
    documentCount: documents.length,
    vocabulary,
    ownerOf,
    ownerSizes,
    inDocuments,
    inOwners,
    ...(yield* readNames(segments, inDocuments, findSilent(vocabulary, compounds))),
    inLists: yield* readLists(documents, vocabulary),
    effectOf: documents.map(({ effect }) => effect),
    documentText: yield* buildSubstrings(documents, ({ name, description }) => [name, description]),
    ownerText: yield* buildSubstrings(owners, ({ name, category = "", tags }) => {
      return [name, category, ...tags];
    }),
    ownersByName: byName(owners),
  };
}

/** `read` of each item. */
function* inSlices<T, R>(items: readonly T[], read: (item: T) => R): Generator<void, R[]> {
  const results: R[] = [];
  for (const item of items) {
    if (results.length % sliceSize === 0) yield;
    results.push(read(item));
  }
  return results;
}

/** Owners are the same if their text is: a catalogue may hold one object per document. */
function* numberOwners(documents: readonly Document[]) {
  const owners: DocumentOwner[] = [];
  const byObject = new Map<DocumentOwner, number>();
  const byText = new Map<string, number>();
  const numbers = yield* inSlices(documents, ({ owner }) => {
    const known = byObject.get(owner);
    if (known !== undefined) return known;
    const key = JSON.stringify([owner.name, owner.description, owner.category, owner.tags]);
    const number = byText.get(key) ?? owners.push(owner) - 1;
    byText.set(key, number);
    byObject.set(owner, number);
    return number;
  });
  const ownerOf = Uint32Array.from(numbers);
  const ownerSizes = new Uint32Array(owners.length);
  for (const owner of ownerOf) ownerSizes[owner]!++;
  return { owners, ownerOf, ownerSizes };
}

/** Numbers, stop words, and compounds, whose parts stand beside them: nobody asks for those. */
function findSilent({ terms }: Vocabulary, compounds: ReadonlySet<number>): Set<number> {
  const isSilent = (term: string) => /^\d+$/.test(term) || stopWords.has(term);
  const silent = [...terms.keys()].filter((number) => isSilent(terms[number]!));
  return new Set([...silent, ...compounds]);
}

/** The names alone, without their `silent` terms. */
function* readNames(
  segments: readonly (readonly Segment[])[],
  inDocuments: Postings,
  silent: ReadonlySet<number>,
) {
  const names = yield* inSlices(segments, ([name]) => {
    return [{ field: 0, terms: name!.terms.filter((term) => !silent.has(term)), length: 1 }];
  });
  const inNames = yield* buildPostings(names, {
    fields: [{ weight: 1, lengthNorm: 0 }],
    termCount: inDocuments.starts.length - 1,
    rareOnly: new Set(),
  });
  const worths = yield* inSlices(names, ([name]) => {
    const worth = (term: number) => idf(countIn(inDocuments, term), segments.length);
    return [...new Set(name!.terms)].reduce((sum, term) => sum + worth(term), 0);
  });
  return { inNames, nameWorth: Float32Array.from(worths) };
}

/** What documents list whose name or description begins so: the plural nouns in these. */
function* readLists(documents: readonly Document[], vocabulary: Vocabulary) {
  const nouns = yield* inSlices(documents, (document) => {
    const name = nameWords(document);
    const lists = name.some((word) => listVerbs.has(word)) ||
      /^lists?\b/i.test(document.description);
    const words = lists ? [...name, ...splitWords(document.description)].filter(isPlural) : [];
    return [{ field: 0, terms: words.flatMap((word) => vocabulary.find(word) ?? []), length: 1 }];
  });
  return yield* buildPostings(nouns, {
    fields: [{ weight: 1, lengthNorm: 0 }],
    termCount: vocabulary.terms.length,
    rareOnly: new Set(),
  });
}

function byName(owners: readonly DocumentOwner[]): Map<string, number[]> {
  const numbers = new Map<string, number[]>();
  owners.forEach((owner, number) => {
    const name = splitWords(owner.name).join(" ");
    const same = numbers.get(name);
    if (same) same.push(number);
    else numbers.set(name, [number]);
  });
  return numbers;
}
