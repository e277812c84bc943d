/**
 * Everything the ranking knows about a catalogue, built once and in typed arrays.
 *
 * Text stands on two levels. A tool's own words are indexed by tool; what all tools of an owner share
 * (its name, description, category and tags) is indexed by owner, once.
 */

import type { Owner, Tool } from "../../tool/tool.ts";
import { splitCompound } from "./_compounds.ts";
import { buildHaystack, type Haystack } from "./_haystack.ts";
import type { RankingParameters } from "./_parameters.ts";
import { buildPostings, type Postings, type Segment } from "./_postings.ts";
import { nameWords, ownerFields, SegmentReader, toolFields } from "./_segments.ts";
import { stopWords } from "./_stop_words.ts";
import { splitWords } from "./_terms.ts";
import { Vocabulary } from "./_vocabulary.ts";

/** Ends a segment in {@linkcode Sequences}. */
export const segmentEnd = 0xffffffff;

/** In how many names and descriptions a word must stand to be a part of compounds. */
const compoundPartUses = 3;

/** The terms of each tool's own text in order, segment by segment, the name first. */
export interface Sequences {
  /** Where each tool begins in `terms`, and at the end the length of `terms`. */
  readonly starts: Uint32Array;
  readonly terms: Uint32Array;
}

/** A catalogue, ready to be searched. Tools and owners are numbered from 0 in load order. */
export interface CatalogueIndex {
  readonly tools: readonly Tool[];
  readonly owners: readonly Owner[];
  readonly vocabulary: Vocabulary;
  /** The owner of each tool. */
  readonly ownerOf: Uint32Array;
  /** How many tools each owner has. */
  readonly ownerSizes: Uint32Array;
  readonly inTools: Postings;
  readonly inOwners: Postings;
  /** In how many tools each term occurs, in the tool's own text or its owner's. */
  readonly toolCounts: Uint32Array;
  readonly sequences: Sequences;
  /** Terms that a query need not have to have all of a tool's name. */
  readonly silentInNames: ReadonlySet<number>;
  readonly toolText: Haystack;
  readonly ownerText: Haystack;
  /** Owners by the words of their name, joined by a space. */
  readonly ownersByName: ReadonlyMap<string, readonly number[]>;
}

/** Reads the whole catalogue. */
export function buildIndex(tools: readonly Tool[], parameters: RankingParameters): CatalogueIndex {
  const vocabulary = new Vocabulary(parameters.stemming);
  const { owners, ownerOf, ownerSizes } = numberOwners(tools);
  const reader = new SegmentReader(vocabulary, parameters);
  const toolSegments = tools.map((tool) => reader.readTool(tool));
  const ownerSegments = owners.map((owner) => reader.readOwner(owner));
  const apart = parameters.compounds
    ? addCompoundParts(tools, toolSegments, vocabulary)
    : new Set<number>();
  vocabulary.close();
  const termCount = vocabulary.terms.length;
  const toolWeights = toolFields.map((field) => parameters[field]);
  const ownerWeights = ownerFields.map((field) => parameters[field]);
  const inTools = buildPostings(toolSegments, toolWeights, termCount);
  const inOwners = buildPostings(ownerSegments, ownerWeights, termCount);
  return {
    tools,
    owners,
    vocabulary,
    ownerOf,
    ownerSizes,
    inTools,
    inOwners,
    toolCounts: countTools(inTools, inOwners, ownerOf, ownerSizes),
    sequences: toSequences(toolSegments),
    silentInNames: findSilent(vocabulary, apart),
    toolText: buildHaystack(tools.length, (tool) => [tools[tool]!.name, tools[tool]!.description]),
    ownerText: buildHaystack(owners.length, (owner) => ownerTexts(owners[owner]!)),
    ownersByName: byName(owners),
  };
}

function ownerTexts(owner: Owner): string[] {
  return [owner.name, owner.category ?? "", ...owner.tags];
}

/** Owners are the same if their text is: a catalogue may hold one object per tool. */
function numberOwners(tools: readonly Tool[]) {
  const owners: Owner[] = [];
  const numbers = new Map<string, number>();
  const ownerOf = Uint32Array.from(tools, ({ owner }) => {
    const key = JSON.stringify([owner.name, owner.description, owner.category, owner.tags]);
    const number = numbers.get(key) ?? owners.push(owner) - 1;
    numbers.set(key, number);
    return number;
  });
  const ownerSizes = new Uint32Array(owners.length);
  for (const owner of ownerOf) ownerSizes[owner]!++;
  return { owners, ownerOf, ownerSizes };
}

/** Appends the parts of compounds to the names that have them; gives the compounds. */
function addCompoundParts(
  tools: readonly Tool[],
  toolSegments: readonly Segment[][],
  vocabulary: Vocabulary,
): Set<number> {
  const compounds = new Set<number>();
  const uses = new Uint32Array(vocabulary.terms.length);
  for (const [name, description] of toolSegments) {
    for (const term of new Set([...name!.terms, ...description!.terms])) uses[term]!++;
  }
  const isUsed = (word: string) => (uses[vocabulary.find(word) ?? -1] ?? 0) >= compoundPartUses;
  tools.forEach((tool, index) => {
    const parts = nameWords(tool).filter((word) => !isUsed(word)).flatMap((word) => {
      const partsOfWord = splitCompound(word, isUsed);
      if (partsOfWord.length > 0) compounds.add(vocabulary.find(word)!);
      return partsOfWord;
    });
    if (parts.length === 0) return;
    const name = toolSegments[index]![0]!;
    const terms = [...name.terms, ...parts.map((part) => vocabulary.add(part))];
    toolSegments[index]![0] = { ...name, terms };
  });
  return compounds;
}

/** Numbers, stop words, and compounds, whose parts stand beside them: nobody asks for those. */
function findSilent({ terms }: Vocabulary, compounds: ReadonlySet<number>): Set<number> {
  const isSilent = (term: string) => /^\d+$/.test(term) || stopWords.has(term);
  const silent = [...terms.keys()].filter((number) => isSilent(terms[number]!));
  return new Set([...silent, ...compounds]);
}

function countTools(
  inTools: Postings,
  inOwners: Postings,
  ownerOf: Uint32Array,
  ownerSizes: Uint32Array,
): Uint32Array {
  const lastTerm = new Int32Array(ownerSizes.length).fill(-1);
  return Uint32Array.from({ length: inTools.starts.length - 1 }, (_, term) => {
    let count = 0;
    for (let at = inOwners.starts[term]!; at < inOwners.starts[term + 1]!; at++) {
      const owner = inOwners.documents[at]!;
      lastTerm[owner] = term;
      count += ownerSizes[owner]!;
    }
    for (let at = inTools.starts[term]!; at < inTools.starts[term + 1]!; at++) {
      if (lastTerm[ownerOf[inTools.documents[at]!]!] !== term) count++;
    }
    return count;
  });
}

function toSequences(toolSegments: readonly (readonly Segment[])[]): Sequences {
  const starts = new Uint32Array(toolSegments.length + 1);
  toolSegments.forEach((segments, tool) => {
    const length = segments.reduce((sum, { terms }) => sum + terms.length + 1, 0);
    starts[tool + 1] = starts[tool]! + length;
  });
  const terms = new Uint32Array(starts[toolSegments.length]!).fill(segmentEnd);
  toolSegments.forEach((segments, tool) => {
    let at = starts[tool]!;
    for (const segment of segments) {
      terms.set(segment.terms, at);
      at += segment.terms.length + 1;
    }
  });
  return { starts, terms };
}

function byName(owners: readonly Owner[]): Map<string, number[]> {
  const numbers = new Map<string, number[]>();
  owners.forEach((owner, number) => {
    const name = splitWords(owner.name).join(" ");
    const same = numbers.get(name);
    if (same) same.push(number);
    else numbers.set(name, [number]);
  });
  return numbers;
}
