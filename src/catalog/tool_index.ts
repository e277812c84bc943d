/** The catalogue as it is searched, by words and by meaning. */

import type { FeatureKind } from "../tool/feature.ts";
import type { Tool } from "../tool/tool.ts";
import { stopWords } from "../text/stop_words.ts";
import { separateCamelCase, splitWords } from "../text/words.ts";
import { type Filter, filterOf } from "./_filter.ts";
import { rankingOf } from "./documents.ts";
import { fuse, maxFused } from "./meaning/fuse.ts";
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
import { ToolTable } from "./tool_table.ts";

/** Milliseconds that {@linkcode ToolIndex.prepare} holds the event loop at a time, or little more. */
const sliceLength = 10;

/** Most names that {@linkcode ToolIndex.namesLike} returns. */
const maxAlike = 3;

/** A word that is found counts from this strength; that of a word in a name is more than the other. */
const [minStrength, strengthOfName] = [1, 4];

/** All tools of a session, and their ranking. */
export class ToolIndex extends ToolTable {
  readonly #byKind = new Map<FeatureKind, ToolIndex>();
  #building: Generator<void, Ranking> | undefined;
  #ranking: Ranking | undefined;
  #prepared: Promise<void> | undefined;
  #meaning: Meaning | undefined;
  #needsWordsOnly: ((query: string) => boolean) | undefined;

  ofKind(kind: FeatureKind): ToolIndex {
    const known = this.#byKind.get(kind);
    if (known !== undefined) return known;
    const own = this.features.filter(({ feature }) => feature!.kind === kind);
    const index = new ToolIndex(own.map(({ feature: _, ...tool }) => tool));
    this.#byKind.set(kind, index);
    return index;
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

  #build(deadline: number): void {
    this.#building ??= rankingOf(this.tools);
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
      ? this.tools.filter(accept ?? (() => true)).slice(0, limit)
      : this.#rank(query, limit, accept);
    return found.map(entryOf);
  }

  /** Lets {@linkcode find} search by meaning too. @throws {EmbeddingError} without usable vectors for the tools */
  async embed(server: EmbeddingServer, options: MeaningOptions = {}): Promise<void> {
    const { readMeaning } = await import("./meaning/meaning.ts");
    this.#meaning = await readMeaning(this.tools, server, options);
  }

  /** {@linkcode search}, by words and by meaning where there is a server for that. */
  async find(request: SearchRequest): Promise<ToolIndexEntry[]> {
    const { query = "", limit = defaultLimit } = request;
    if (query !== "") await this.prepare();
    if (this.#meaning === undefined || query === "") return this.search(request);
    if (this.formerly(query.trim()) !== undefined) return this.search(request);
    this.#needsWordsOnly ??= readNames(this.tools.map(({ name }) => name));
    if (this.#needsWordsOnly(query)) return this.search(request);
    const nearness = await this.#meaning.nearness(query);
    if (nearness === undefined) return this.search(request);
    const filter = filterOf(request);
    const accept = (position: number) => filter?.(this.tools[position]!) ?? true;
    const byWords = this.prepareAtOnce().score(query, {
      limit: Math.max(limit, maxFused),
      ...(filter && { accept }),
    });
    return fuse(byWords, nearness, { limit, accept }).map((at) => entryOf(this.tools[at]!));
  }

  /** How many first results of {@linkcode find} reach `share` of the best; absent without a query or with meaning. */
  scoresOfBest(request: SearchRequest, share: number): number | undefined {
    const { query = "", limit = defaultLimit } = request;
    if (query === "" || this.#meaning !== undefined || this.formerly(query.trim())) {
      return undefined;
    }
    const filter = filterOf(request);
    return this.prepareAtOnce().scoresOfBest(query, {
      limit,
      share,
      ...(filter && { accept: (position) => filter(this.tools[position]!) }),
    });
  }

  /** Why the words of `request` put its tools where {@linkcode search} has them, by name. */
  explain(request: SearchRequest): Map<string, ExplainedDocument> {
    const { query = "", limit = defaultLimit } = request;
    const filter = filterOf(request);
    const found = query === "" ? [] : this.prepareAtOnce().explain(query, {
      limit,
      ...(filter && { accept: (position) => filter(this.tools[position]!) }),
    });
    return new Map(found.map((each) => [this.tools[each.document]!.name, each]));
  }

  /** Names of tools that have more than half of the words of `name`, and one in their or their program's name. */
  async namesLike(name: string): Promise<string[]> {
    await this.prepare();
    const words = splitWords(separateCamelCase(name)).filter((word) => !stopWords.has(word));
    const needed = words.length === 1 ? strengthOfName : minStrength;
    const found = this.prepareAtOnce().explain(words.join(" "), { limit: maxAlike });
    return found.filter((each) => {
      const strong = each.words.filter(({ inTool, inOwner }) => inTool + inOwner > needed);
      return strong.length > words.length / 2 &&
        (words.length === 1 || strong.some(({ inTool }) => inTool > minStrength));
    }).map(({ document }) => this.tools[document]!.name);
  }

  #rank(query: string, limit: number, accept: Filter | undefined): Tool[] {
    const found = this.prepareAtOnce().rank(query, {
      limit,
      ...(accept && { accept: (position) => accept(this.tools[position]!) }),
    });
    const ranked = found.map((position) => this.tools[position]!);
    const former = this.formerly(query.trim());
    if (former === undefined || accept?.(former) === false) return ranked;
    return [former, ...ranked.filter((tool) => tool !== former)].slice(0, limit);
  }
}
