/**
 * Everything the ranking knows about a catalogue, built once and in typed arrays.
 *
 * Text stands on two levels. A tool's own words are indexed by tool; what all tools of a CLI share
 * (its name, description, category and tags) is indexed by CLI, once.
 */

import type { Owner, Tool } from "../../tool/tool.ts";
import { splitCompound } from "./_compounds.ts";
import { buildHaystack, type Haystack } from "./_haystack.ts";
import type { RankingParameters } from "./_parameters.ts";
import { buildPostings, type Postings, type Segment } from "./_postings.ts";
import { CLI_FIELDS, nameWords, SegmentReader, TOOL_FIELDS } from "./_segments.ts";
import { splitWords } from "./_terms.ts";
import { Vocabulary } from "./_vocabulary.ts";

/** Ends a segment in {@linkcode Sequences}. */
export const SEGMENT_END = 0xffffffff;

/** In how many names and descriptions a word must stand to be a part of compounds. */
const COMPOUND_PART_USES = 3;

/** The terms of each tool's own text in order, segment by segment, the name first. */
export interface Sequences {
  /** Where each tool begins in `terms`, and at the end the length of `terms`. */
  readonly starts: Uint32Array;
  readonly terms: Uint32Array;
}

/** A catalogue, ready to be searched. Tools and CLIs are numbered from 0 in load order. */
export interface CatalogueIndex {
  readonly tools: readonly Tool[];
  readonly clis: readonly Owner[];
  readonly vocabulary: Vocabulary;
  /** The CLI of each tool. */
  readonly cliOf: Uint32Array;
  /** How many tools each CLI has. */
  readonly cliSizes: Uint32Array;
  readonly inTools: Postings;
  readonly inClis: Postings;
  /** In how many tools each term occurs, in the tool's own text or its CLI's. */
  readonly toolCounts: Uint32Array;
  readonly sequences: Sequences;
  readonly toolText: Haystack;
  readonly cliText: Haystack;
  /** CLIs by the words of their name, joined by a space. */
  readonly clisByName: ReadonlyMap<string, readonly number[]>;
}

/** Reads the whole catalogue. */
export function buildIndex(tools: readonly Tool[], parameters: RankingParameters): CatalogueIndex {
  const vocabulary = new Vocabulary(parameters.stemming);
  const { clis, cliOf, cliSizes } = numberClis(tools);
  const reader = new SegmentReader(vocabulary, parameters);
  const toolSegments = tools.map((tool) => reader.readTool(tool));
  const cliSegments = clis.map((cli) => reader.readCli(cli));
  if (parameters.compounds) addCompoundParts(tools, toolSegments, vocabulary);
  vocabulary.close();
  const termCount = vocabulary.terms.length;
  const toolFields = TOOL_FIELDS.map((field) => parameters[field]);
  const cliFields = CLI_FIELDS.map((field) => parameters[field]);
  const inTools = buildPostings(toolSegments, toolFields, termCount);
  const inClis = buildPostings(cliSegments, cliFields, termCount);
  return {
    tools,
    clis,
    vocabulary,
    cliOf,
    cliSizes,
    inTools,
    inClis,
    toolCounts: countTools(inTools, inClis, cliOf, cliSizes),
    sequences: toSequences(toolSegments),
    toolText: buildHaystack(tools.length, (tool) => [tools[tool]!.name, tools[tool]!.description]),
    cliText: buildHaystack(clis.length, (cli) => cliTexts(clis[cli]!)),
    clisByName: byName(clis),
  };
}

function cliTexts(cli: Owner): string[] {
  return [cli.name, cli.category ?? "", ...cli.tags];
}

/** CLIs are the same if their text is: a catalogue may hold one object per tool. */
function numberClis(tools: readonly Tool[]) {
  const clis: Owner[] = [];
  const numbers = new Map<string, number>();
  const cliOf = Uint32Array.from(tools, ({ owner: cli }) => {
    const key = JSON.stringify([cli.name, cli.description, cli.category, cli.tags]);
    const number = numbers.get(key) ?? clis.push(cli) - 1;
    numbers.set(key, number);
    return number;
  });
  const cliSizes = new Uint32Array(clis.length);
  for (const cli of cliOf) cliSizes[cli]!++;
  return { clis, cliOf, cliSizes };
}

/** Appends the parts of compounds to the names that have them. */
function addCompoundParts(
  tools: readonly Tool[],
  toolSegments: readonly Segment[][],
  vocabulary: Vocabulary,
): void {
  const uses = new Uint32Array(vocabulary.terms.length);
  for (const [name, description] of toolSegments) {
    for (const term of new Set([...name!.terms, ...description!.terms])) uses[term]!++;
  }
  const isUsed = (word: string) => (uses[vocabulary.find(word) ?? -1] ?? 0) >= COMPOUND_PART_USES;
  tools.forEach((tool, index) => {
    const parts = nameWords(tool).filter((word) => !isUsed(word))
      .flatMap((word) => splitCompound(word, isUsed));
    if (parts.length === 0) return;
    const name = toolSegments[index]![0]!;
    const terms = [...name.terms, ...parts.map((part) => vocabulary.add(part))];
    toolSegments[index]![0] = { ...name, terms };
  });
}

function countTools(
  inTools: Postings,
  inClis: Postings,
  cliOf: Uint32Array,
  cliSizes: Uint32Array,
): Uint32Array {
  const lastTerm = new Int32Array(cliSizes.length).fill(-1);
  return Uint32Array.from({ length: inTools.starts.length - 1 }, (_, term) => {
    let count = 0;
    for (let at = inClis.starts[term]!; at < inClis.starts[term + 1]!; at++) {
      const cli = inClis.documents[at]!;
      lastTerm[cli] = term;
      count += cliSizes[cli]!;
    }
    for (let at = inTools.starts[term]!; at < inTools.starts[term + 1]!; at++) {
      if (lastTerm[cliOf[inTools.documents[at]!]!] !== term) count++;
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
  const terms = new Uint32Array(starts[toolSegments.length]!).fill(SEGMENT_END);
  toolSegments.forEach((segments, tool) => {
    let at = starts[tool]!;
    for (const segment of segments) {
      terms.set(segment.terms, at);
      at += segment.terms.length + 1;
    }
  });
  return { starts, terms };
}

function byName(clis: readonly Owner[]): Map<string, number[]> {
  const numbers = new Map<string, number[]>();
  clis.forEach((cli, number) => {
    const name = splitWords(cli.name).join(" ");
    const same = numbers.get(name);
    if (same) same.push(number);
    else numbers.set(name, [number]);
  });
  return numbers;
}
