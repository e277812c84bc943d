/** The typed arrays of a catalogue. A document's own words and the text of its owner are never counted together. */

import { addCompoundParts } from "./_compounds.ts";
import type { Document, DocumentOwner } from "./document.ts";
import { documentFields, FieldReader, maxTextLength, ownerFields, wordsOfName } from "./_fields.ts";
import type { RankingParameters } from "./_parameters.ts";
import { buildPostings, countIn, idf, inSlices, type Postings, type Segment } from "./_postings.ts";
import { isPlural, listVerbs } from "../../text/stop_words.ts";
import { buildSubstrings, type Substrings } from "./_substring.ts";
import { Vocabulary } from "./_vocabulary.ts";
import { splitWords } from "../../text/words.ts";

/** A catalogue, ready to be searched. Documents and owners are numbered from 0 in load order. */
export interface CatalogueIndex {
  readonly documentCount: number;
  readonly vocabulary: Vocabulary;
  readonly ownerOf: Uint32Array;
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
  readonly documentText: Substrings;
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
  const names = yield* inSlices(documents, wordsOfName);
  const segments = yield* inSlices(documents, (document, number) => {
    return reader.readDocument(document, names[number]!);
  });
  const ownerSegments = yield* inSlices(owners, (owner) => reader.readOwner(owner));
  const compounds = yield* addCompoundParts(names, segments, vocabulary);
  vocabulary.close();
  const termCount = vocabulary.terms.length;
  const rareOnly = [...vocabulary.terms.keys()].filter((term) => vocabulary.tells[term] === 0);
  const postingsOf = (
    segments: readonly (readonly Segment[])[],
    fields: typeof documentFields | typeof ownerFields,
  ) =>
    buildPostings(segments, {
      fields: fields.map((field) => parameters[field]),
      termCount,
      rareOnly,
    });
  const inDocuments = yield* postingsOf(segments, documentFields);
  const inOwners = yield* postingsOf(ownerSegments, ownerFields);
  const silent = findSilent(vocabulary, compounds);
  const nameTerms = yield* inSlices(segments, ([name]) => {
    return [...new Set(name!.terms)].filter((term) => !silent.has(term));
  });
  const worth = (term: number) => idf(countIn(inDocuments, term), documents.length);
  const listed = yield* inSlices(documents, (document, number) => {
    return nounsOfList(document, names[number]!).flatMap((word) => vocabulary.find(word) ?? []);
  });
  return {
    documentCount: documents.length,
    vocabulary,
    ownerOf,
    ownerSizes,
    inDocuments,
    inOwners,
    inNames: yield* plainPostings(nameTerms, termCount),
    nameWorth: Float32Array.from(nameTerms, (terms) => {
      return terms.reduce((sum, term) => sum + worth(term), 0);
    }),
    inLists: yield* plainPostings(listed, termCount),
    effectOf: documents.map(({ effect }) => effect),
    documentText: yield* buildSubstrings(documents, ({ name, description }) => [name, description]),
    ownerText: yield* buildSubstrings(owners, ({ name, category = "", tags }) => {
      return [name, category, ...tags];
    }),
    ownersByName: Map.groupBy(owners.keys(), (owner) => splitWords(owners[owner]!.name).join(" ")),
  };
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

/** Numbers, stop words, and compounds, whose parts stand beside them: queries do not ask for those. */
function findSilent({ terms, tells }: Vocabulary, compounds: ReadonlySet<number>): Set<number> {
  const isSilent = (term: number) => tells[term] === 0 || /^\d+$/.test(terms[term]!);
  return new Set([...[...terms.keys()].filter(isSilent), ...compounds]);
}

function plainPostings(terms: readonly (readonly number[])[], termCount: number) {
  const segments = terms.map((terms) => [{ field: 0, terms, length: 1 }]);
  const fields = [{ weight: 1, lengthNorm: 0 }];
  return buildPostings(segments, { fields, termCount, rareOnly: [] });
}

/** What a document lists whose name or description says that it does: the plural nouns in these. */
function nounsOfList({ description }: Document, name: readonly string[]): string[] {
  const lists = /^lists?\b/i.test(description) || name.some((word) => listVerbs.has(word));
  return lists
    ? [...name, ...splitWords(description.slice(0, maxTextLength))].filter(isPlural)
    : [];
}
