/**
 * The catalogue: every tool that may be called, by name. Whatever the policy took away is not in here, so nothing that
 * asks it can reveal that. Searching it takes more, see `first_search.ts`.
 */

import { nearNames } from "../text/similar_names.ts";
import { isFeature } from "../tool/feature.ts";
import type { AbsentOwner } from "../tool/owner.ts";
import type { Tool } from "../tool/tool.ts";
import { type CliSummary, serverNames, summaryOf } from "./summary.ts";

/** All tools of a session. */
export class ToolTable {
  readonly #tools: readonly Tool[];
  readonly #features: readonly Tool[];
  readonly #featureByName: ReadonlyMap<string, Tool>;
  /** Owners that do not answer, whose tools are not known. */
  readonly absent: readonly AbsentOwner[];
  readonly #byName: ReadonlyMap<string, Tool>;
  /** By the names that tools had, or that agents guess. */
  readonly #byAlias: ReadonlyMap<string, readonly Tool[]>;
  #servers: ReadonlySet<string> | undefined;

  /**
   * A table of tools, prompts and resources, whose names are unique; their order is the load order. The summary has
   * a line for each of `absent`, whose tools are not known.
   */
  constructor(all: readonly Tool[], absent: readonly AbsentOwner[] = []) {
    const tools = all.filter((tool) => !isFeature(tool));
    this.#tools = tools;
    this.#features = all.length === tools.length ? [] : all.filter(isFeature);
    this.#featureByName = new Map(this.#features.map((tool) => [tool.name, tool]));
    this.absent = absent;
    this.#byName = new Map(tools.map((tool) => [tool.name, tool]));
    const byAlias = new Map<string, Tool[]>();
    for (const tool of tools) {
      for (const alias of new Set(tool.aliases)) {
        const others = byAlias.get(alias);
        if (others === undefined) byAlias.set(alias, [tool]);
        else others.push(tool);
      }
    }
    this.#byAlias = byAlias;
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

  /** The tool of exactly this name, or the only one with this alias. */
  get(name: string): Tool | undefined {
    return this.#byName.get(name) ?? this.formerly(name);
  }

  /** The tools that an alias of several may mean; none for every other name. */
  meantBy(name: string): readonly Tool[] {
    const tools = this.#byName.has(name) ? [] : this.#byAlias.get(name) ?? [];
    return tools.length > 1 ? tools : [];
  }

  /** Names near to one that does not exist, nearest first. */
  near(name: string): string[] {
    return nearNames(name, this.#byName.keys());
  }

  /** The only tool with this alias, which is the name of none. */
  formerly(name: string): Tool | undefined {
    if (this.#byName.has(name)) return undefined;
    const [tool, other] = this.#byAlias.get(name) ?? [];
    return other === undefined ? tool : undefined;
  }

  /** Every CLI with its number of tools, in load order. */
  summary(): CliSummary[] {
    return summaryOf([...this.#tools, ...this.#features], this.absent);
  }

  /** The names of those in the summary that are MCP servers. */
  get servers(): ReadonlySet<string> {
    return this.#servers ??= serverNames([...this.#tools, ...this.#features], this.absent);
  }
}
