/** Finds tools by words and by meaning. */

import type { FeatureKind } from "../tool/feature.ts";
import type { Tool, WithheldTool } from "../tool/tool.ts";
import { sentencesOf } from "../text/sentence.ts";
import { stopWords } from "../text/stop_words.ts";
import { isUnspaced, separateCamelCase, splitWords } from "../text/words.ts";
import type { EmbeddingServer, Meaning, MeaningOptions } from "./meaning/meaning.ts";
import type { ExplainedDocument } from "./rank/explanation.ts";
import { type Fit, type Ranking, rankingOf, type ScoredDocument } from "./rank/rank.ts";
import {
  acceptOf,
  defaultLimit,
  entryOf,
  type SearchRequest,
  toDocument,
  type ToolIndexEntry,
} from "./search_request.ts";
import { maxNameLength, ToolTable, type Uncallable, withoutClientPrefix } from "./tool_table.ts";

const maxNamed = 20;
const maxAlike = 3;

/**
 * In a catalogue with more tools than this, no note names tools that cannot be called: finding them takes a second
 * ranking.
 */
const maxCompared = 2_000;

const [minStrength, strengthOfName] = [1, 4];

export class ToolIndex extends ToolTable {
  readonly #byKind = new Map<FeatureKind, ToolIndex>();
  #made: Ranking | undefined;
  #meaning: Meaning | undefined;
  readonly #compared = new Map<keyof Uncallable, Promise<ReturnType<typeof compareWith>>>();
  #isEmbedding = false;
  #nearest: { readonly query: string; readonly nearness: number } | undefined;
  #needsWordsOnly: ((query: string) => boolean) | undefined;

  ofKind(kind: FeatureKind): ToolIndex {
    return this.#byKind.getOrInsertComputed(kind, () => {
      const own = this.features.filter(({ feature }) => feature!.kind === kind);
      return new ToolIndex(own.map(({ feature: _, ...tool }) => tool));
    });
  }

  get #ranking(): Ranking {
    return this.#made ??= rankingOf(this.tools.map(toDocument));
  }

  search(request: SearchRequest): ToolIndexEntry[] {
    const { query = "", limit = defaultLimit } = request;
    if (query === "") return this.#list(request).slice(0, limit).map(entryOf);
    const accept = acceptOf(this.tools, request);
    const named = this.findNamed(query).filter((tool) =>
      accept?.(this.tools.indexOf(tool)) ?? true
    );
    const found = named.length > 1 ? [] : this.#ranking.rank(query, { limit, accept });
    const all = new Set([...named, ...found.map((position) => this.tools[position]!)]);
    return [...all].slice(0, limit).map(entryOf);
  }

  /** Returns the tools that `query` names, with commas between the names; none if one name is unknown. */
  findNamed(query = ""): Tool[] {
    const names = query.split(",").slice(0, maxNamed).map((name) => name.trim());
    const tools = names.map((name) => /\s/.test(name) ? this.get(name) : this.resolve(name));
    return tools.every((tool) => tool !== undefined) ? tools : [];
  }

  count(request: SearchRequest): number {
    const { query = "" } = request;
    if (query === "") return this.#list(request).length;
    const named = this.findNamed(query).length;
    return named > 1
      ? named
      : this.#ranking.count(query, { accept: acceptOf(this.tools, request) });
  }

  #list(request: SearchRequest): readonly Tool[] {
    const accept = acceptOf(this.tools, request);
    return accept === undefined ? this.tools : this.tools.filter((_, position) => accept(position));
  }

  /** Computes the vectors for search by meaning. @throws {EmbeddingError} if the server embeds no tools */
  async embed(server: EmbeddingServer, options: MeaningOptions = {}): Promise<void> {
    this.#isEmbedding = true;
    try {
      const { readMeaning } = await import("./meaning/meaning.ts");
      this.#meaning = await readMeaning(this.tools, server, options);
    } finally {
      this.#isEmbedding = false;
    }
  }

  get isEmbedding(): boolean {
    return this.#isEmbedding;
  }

  get weightOfMeaning(): number | undefined {
    return this.#meaning?.weight;
  }

  async find(
    request: SearchRequest,
    weight = this.weightOfMeaning ?? 0,
  ): Promise<ToolIndexEntry[]> {
    const { query = "", limit = defaultLimit } = request;
    if (this.#meaning === undefined || query === "" || weight === 0) return this.search(request);
    if (this.findNamed(query).length > 0) return this.search(request);
    this.#needsWordsOnly ??= readNames(this.tools.map(({ name }) => name));
    if (this.#needsWordsOnly(query)) return this.search(request);
    const sentences = sentencesOf(query).filter((each) => each !== query).slice(0, maxSentences);
    const nearness = await this.#meaning.nearness([query, ...sentences]);
    if (nearness === undefined) return this.search(request);
    const accept = acceptOf(this.tools, request);
    const accepted = nearness.filter((_, tool) => accept?.(tool) ?? true);
    const best = accepted.reduce((best, near) => Math.max(best, near), -1);
    this.#nearest = { query, nearness: best };
    const byWords = this.#ranking.score(query, { limit: Math.max(limit, maxFused), accept });
    return fuse(byWords, nearness, { limit, accept, weight }).map((at) => entryOf(this.tools[at]!));
  }

  scoresOfBest(request: SearchRequest, share: number): number | undefined {
    const options = this.#optionsByWords(request);
    return options && this.#ranking.scoresOfBest(options.query, { ...options, share });
  }

  fit(request: SearchRequest): Fit | undefined {
    const options = this.#optionsByWords(request);
    const fit = options && this.#ranking.fit(options.query, options);
    const nearness = this.#nearest?.query === options?.query ? this.#nearest?.nearness : undefined;
    const isFar = (nearness ?? 1) < (this.#meaning?.least ?? -1);
    return fit && isFar ? { ...fit, isWeak: true } : fit;
  }

  #optionsByWords(request: SearchRequest) {
    const { query = "", limit = defaultLimit } = request;
    if (query === "" || this.findNamed(query).length > 0) return undefined;
    return { query, limit, accept: acceptOf(this.tools, request) };
  }

  async nearUncallable(
    kind: keyof Uncallable,
    request: SearchRequest,
    isWanted: boolean,
  ): Promise<Near> {
    const isCompared = this.uncallable !== undefined && this.tools.length <= maxCompared;
    if (!isCompared || !request.query) return { tools: [], times: 0 };
    const compare = this.#compared.getOrInsertComputed(kind, async () => {
      return compareWith(this.tools, await this.uncallable![kind]());
    });
    return (await compare)(request, isWanted);
  }

  explain(request: SearchRequest): Map<string, ExplainedDocument> {
    const { query = "", limit = defaultLimit } = request;
    const accept = acceptOf(this.tools, request);
    const found = query === "" ? [] : this.#ranking.explain(query, { limit, accept });
    return new Map(found.map((each) => [this.tools[each.document]!.name, each]));
  }

  namesLike(name: string): string[] {
    const words = splitWords(separateCamelCase(name)).filter((word) => !stopWords.has(word));
    const needed = words.length === 1 ? strengthOfName : minStrength;
    const found = this.#ranking.explain(words.join(" "), { limit: maxAlike });
    return found.filter((each) => {
      const strong = each.words.filter(({ inTool, inOwner }) => inTool + inOwner > needed);
      return strong.length > words.length / 2 &&
        (words.length === 1 || strong.some(({ inTool }) => inTool > minStrength));
    }).map(({ document }) => this.tools[document]!.name);
  }
}

const maxNameWords = 12;
const maxQueryWords = 200;

function readNames(names: readonly string[]): (query: string) => boolean {
  const spelled = new Set(names.map((name) => splitWords(name).join(" ")));
  return (query) => {
    const words = splitWords(query).slice(0, maxQueryWords);
    if (words.length <= 1 || !(/\s/.test(query.trim()) || isUnspaced(query))) return true;
    return words.some((_, start) => {
      for (let end = start + 2; end <= Math.min(words.length, start + maxNameWords); end++) {
        if (spelled.has(words.slice(start, end).join(" "))) return true;
      }
      return false;
    });
  };
}

/** At most this many sentences of a query are compared with tools by meaning, besides the query as a whole. */
const maxSentences = 8;
const maxFused = 200;

export function fuse(
  byWords: readonly ScoredDocument[],
  nearness: Float64Array,
  { limit, weight, accept }: {
    readonly limit: number;
    readonly weight: number;
    readonly accept?: ((tool: number) => boolean) | undefined;
  },
): number[] {
  const words = byWords.slice(0, maxFused);
  const scores = new Map(words.map(({ document, score }) => [document, score]));
  const nearest = nearestOf(nearness, accept);
  const tools = [...new Set([...scores.keys(), ...nearest])];
  const byWord = standardScores(tools.map((tool) => scores.get(tool) ?? 0));
  const byMeaning = standardScores(tools.map((tool) => nearness[tool]!));
  const fused = tools.map((tool, place) => ({
    tool,
    score: (1 - weight) * byWord[place]! + weight * byMeaning[place]!,
  })).sort((a, b) => b.score - a.score || a.tool - b.tool);
  const known = new Set(tools);
  const rest = byWords.slice(maxFused).map(({ document }) => document)
    .filter((tool) => !known.has(tool));
  return [...fused.map(({ tool }) => tool), ...rest].slice(0, limit);
}

function nearestOf(nearness: Float64Array, accept?: (tool: number) => boolean): number[] {
  return [...nearness.keys()].filter((tool) => accept?.(tool) ?? true)
    .sort((a, b) => nearness[b]! - nearness[a]! || a - b).slice(0, maxFused);
}

function standardScores(numbers: readonly number[]): number[] {
  const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
  const variance = numbers.reduce((sum, number) => sum + (number - mean) ** 2, 0) / numbers.length;
  const deviation = Math.sqrt(variance);
  return numbers.map((number) => deviation > 0 ? (number - mean) / deviation : 0);
}

const indexes = new WeakMap<ToolTable, ToolIndex>();

export function toolIndexOf(table: ToolTable): ToolIndex {
  if (table instanceof ToolIndex) return table;
  return indexes.getOrInsertComputed(table, () => {
    return new ToolIndex([...table.tools, ...table.features], table.absent, table.uncallable);
  });
}

/** Returns up to three tools that an unknown name may mean: a misspelt name, else tools with the same words. */
export function namesLike(table: ToolTable, name: string): string[] {
  if (name.length > maxNameLength) return [];
  const plain = withoutClientPrefix(name);
  // Some agents send a whole command line as a tool's name: the part before the first option is looked up
  const [start] = plain.split(" -", 1);
  const [meant] = start === plain ? [] : table.meantBy(start!);
  if (meant !== undefined) return [meant.name];
  const misspelt = table.near(plain);
  return misspelt.length > 0 ? misspelt : toolIndexOf(table).namesLike(plain);
}

const maxNear = 5;
const levelShare = 0.9;

interface Near {
  readonly tools: readonly WithheldTool[];
  readonly times: number;
}

function compareWith(
  tools: readonly Tool[],
  others: readonly WithheldTool[],
): (request: SearchRequest, isWanted: boolean) => Near {
  if (others.length === 0) return () => ({ tools: [], times: 0 });
  const all = [...tools, ...others.map(({ tool }) => tool)];
  const ranking = rankingOf(all.map(toDocument));
  return ({ query = "", ...filters }, isWanted) => {
    const options = { limit: all.length, accept: acceptOf(all, filters) };
    const found = ranking.score(query, options);
    const best = found.find(({ document }) => document < tools.length)?.score ?? Number.MIN_VALUE;
    const near = found.slice(0, maxNear).filter(({ document, score }) => {
      return document >= tools.length && (isWanted || score >= levelShare * best);
    });
    return {
      tools: near.map(({ document }) => others[document - tools.length]!),
      times: near.length === 0 || ranking.fit(query, options).isWeak ? 0 : near[0]!.score / best,
    };
  };
}
