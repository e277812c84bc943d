/**
 * The catalogue: every tool that may be called, by name and by search. Whatever the policy took
 * away is not in here, so nothing that asks the index can reveal it.
 */

import { nearNames } from "../text/similar_names.ts";
import { type FeatureKind, isFeature } from "../tool/feature.ts";
import type { AbsentOwner } from "../tool/owner.ts";
import type { Tool } from "../tool/tool.ts";
import { type Filter, filterOf } from "./_filter.ts";
import { rankingOf } from "./documents.ts";
import { fuse, mostFused } from "./meaning/fuse.ts";
import type { EmbeddingServer, Meaning, MeaningOptions } from "./meaning/meaning.ts";
import { readNames } from "./meaning/spelled_names.ts";
import type { ExplainedDocument } from "./rank/explanation.ts";
import type { Ranking } from "./rank/rank.ts";
import {
  defaultLimit,
  entryOf,
  type SearchRequest,
  type ToolIndexEntry,
} from "./search_request.ts";
import { type CliSummary, serverNames, summaryOf } from "./summary.ts";

/** Milliseconds that {@linkcode ToolIndex.prepare} holds the event loop at a time, or little more. */
const sliceLength = 10;

/** All tools of a session. */
export class ToolIndex {
  readonly #tools: readonly Tool[];
  readonly #features: readonly Tool[];
  readonly #featureByName: ReadonlyMap<string, Tool>;
  readonly #byKind = new Map<FeatureKind, ToolIndex>();
  /** Owners that do not answer, whose tools are not known. */
  readonly absent: readonly AbsentOwner[];
  readonly #byName: ReadonlyMap<string, Tool>;
  /** By the names that tools had; none of them is a name. */
  readonly #byAlias: ReadonlyMap<string, Tool>;
  /** What is left to do until there is a ranking. */
  #building: Generator<void, Ranking> | undefined;
  #ranking: Ranking | undefined;
  #prepared: Promise<void> | undefined;
  #meaning: Meaning | undefined;
  #needsWordsOnly: ((query: string) => boolean) | undefined;
  #servers: ReadonlySet<string> | undefined;

  /**
   * An index over tools, prompts and resources, whose names are unique; their order is the load order. The summary has
   * a line for each of `absent`, whose tools are not known.
   */
  constructor(all: readonly Tool[], absent: readonly AbsentOwner[] = []) {
    const tools = all.filter((tool) => !isFeature(tool));
    this.#tools = tools;
    this.#features = all.length === tools.length ? [] : all.filter(isFeature);
    this.#featureByName = new Map(this.#features.map((tool) => [tool.name, tool]));
    this.absent = absent;
    this.#byName = new Map(tools.map((tool) => [tool.name, tool]));
    const aliases = tools.flatMap((tool) =>
      (tool.aliases ?? []).map((name) => [name, tool] as const)
    );
    // The first tool of several keeps an alias, as if the others had not had it
    this.#byAlias = new Map(aliases.toReversed());
  }

  /** All tools, in load order. */
  get tools(): readonly Tool[] {
    return this.#tools;
  }

  /** All prompts, resources and templates, in load order. They are no tools, and found by their kind alone. */
  get features(): readonly Tool[] {
    return this.#features;
  }

  /** The prompt, resource or template of exactly this name in the catalogue. */
  feature(name: string): Tool | undefined {
    return this.#featureByName.get(name);
  }

  /** An index over the features of one kind, which are tools in it. */
  ofKind(kind: FeatureKind): ToolIndex {
    const known = this.#byKind.get(kind);
    if (known !== undefined) return known;
    const own = this.#features.filter(({ feature }) => feature!.kind === kind);
    const index = new ToolIndex(own.map(({ feature: _, ...tool }) => tool));
    this.#byKind.set(kind, index);
    return index;
  }

  /** The tool of exactly this name, or that had it. */
  get(name: string): Tool | undefined {
    return this.#byName.get(name) ?? this.#byAlias.get(name);
  }

  /** Names near to one that does not exist, nearest first. */
  near(name: string): string[] {
    return nearNames(name, this.#byName.keys());
  }

  /** Reads the tools for searching, while others have their turns; a search that did not wait reads the rest. */
  prepare(): Promise<void> {
    return this.#prepared ??= this.#prepare();
  }

  /** Reads the tools for searching without giving others a turn. */
  prepareAtOnce(): Ranking {
    if (this.#ranking === undefined) this.#build(Infinity);
    return this.#ranking!;
  }

  async #prepare(): Promise<void> {
    while (this.#ranking === undefined) {
      this.#build(performance.now() + sliceLength);
      // A macrotask: promises alone would let nothing in
      if (this.#ranking === undefined) await new Promise((resolve) => setTimeout(resolve));
    }
  }

  /** Reads on until it is done, or `deadline` has passed. */
  #build(deadline: number): void {
    this.#building ??= rankingOf(this.#tools);
    while (this.#ranking === undefined) {
      const step = this.#building.next();
      if (step.done) this.#ranking = step.value;
      else if (performance.now() >= deadline) return;
    }
    this.#building = undefined;
  }

  /** The best `limit` tools, best first; without a query, in load order. */
  search(request: SearchRequest): ToolIndexEntry[] {
    const { query = "", limit = defaultLimit } = request;
    const accept = filterOf(request);
    const found = query === ""
      ? this.#tools.filter(accept ?? (() => true)).slice(0, limit)
      : this.#rank(query, limit, accept);
    return found.map(entryOf);
  }

  /**
   * Lets {@linkcode find} search by meaning too, from when this resolves. Until then, and where
   * `server` fails, words are what is searched by.
   *
   * @throws {EmbeddingError} when the server gives no usable vectors for the tools
   */
  async embed(server: EmbeddingServer, options: MeaningOptions = {}): Promise<void> {
    const { readMeaning } = await import("./meaning/meaning.ts");
    this.#meaning = await readMeaning(this.#tools, server, options);
  }

  /** {@linkcode search}, by words and by meaning where there is a server for that. */
  async find(request: SearchRequest): Promise<ToolIndexEntry[]> {
    const { query = "", limit = defaultLimit } = request;
    if (query !== "") await this.prepare();
    if (this.#meaning === undefined || query === "") return this.search(request);
    if (this.#formerly(query) !== undefined) return this.search(request);
    this.#needsWordsOnly ??= readNames(this.#tools.map(({ name }) => name));
    if (this.#needsWordsOnly(query)) return this.search(request);
    const nearness = await this.#meaning.nearness(query);
    if (nearness === undefined) return this.search(request);
    const filter = filterOf(request);
    const accept = (position: number) => filter?.(this.#tools[position]!) ?? true;
    const byWords = this.prepareAtOnce().score(query, {
      limit: Math.max(limit, mostFused),
      ...(filter && { accept }),
    });
    return fuse(byWords, nearness, { limit, accept }).map((at) => entryOf(this.#tools[at]!));
  }

  /**
   * How many of the first results of {@linkcode find} are worth at least `share` of the very first;
   * absent where that is not known: without a query, and where meaning had a say.
   */
  leading(request: SearchRequest, share: number): number | undefined {
    const { query = "", limit = defaultLimit } = request;
    if (query === "" || this.#meaning !== undefined || this.#formerly(query)) return undefined;
    const filter = filterOf(request);
    return this.prepareAtOnce().leading(query, {
      limit,
      share,
      ...(filter && { accept: (position) => filter(this.#tools[position]!) }),
    });
  }

  /** Why the words of `request` put its tools where {@linkcode search} has them, by name. */
  explain(request: SearchRequest): Map<string, ExplainedDocument> {
    const { query = "", limit = defaultLimit } = request;
    const filter = filterOf(request);
    const found = query === "" ? [] : this.prepareAtOnce().explain(query, {
      limit,
      ...(filter && { accept: (position) => filter(this.#tools[position]!) }),
    });
    return new Map(found.map((each) => [this.#tools[each.document]!.name, each]));
  }

  /** Every CLI with its number of tools, in load order. */
  summary(): CliSummary[] {
    return summaryOf([...this.#tools, ...this.#features], this.absent);
  }

  /** The names of those in the summary that are MCP servers. */
  get servers(): ReadonlySet<string> {
    return this.#servers ??= serverNames([...this.#tools, ...this.#features], this.absent);
  }

  #rank(query: string, limit: number, accept: Filter | undefined): Tool[] {
    const found = this.prepareAtOnce().rank(query, {
      limit,
      ...(accept && { accept: (position) => accept(this.#tools[position]!) }),
    });
    const ranked = found.map((position) => this.#tools[position]!);
    const former = this.#formerly(query);
    if (former === undefined || accept?.(former) === false) return ranked;
    return [former, ...ranked.filter((tool) => tool !== former)].slice(0, limit);
  }

  /** The tool that had the name which is the whole of `query`. */
  #formerly(query: string): Tool | undefined {
    const name = query.trim();
    return this.#byName.has(name) ? undefined : this.#byAlias.get(name);
  }
}
