/**
 * The catalogue: every tool that may be called, by name. Whatever the policy took away is not in here, so nothing that
 * asks it can reveal that. Searching it takes more, see `first_search.ts`.
 */

import { misspeltNames } from "../text/similar_names.ts";
import { isFeature } from "../tool/feature.ts";
import type { AbsentOwner } from "../tool/owner.ts";
import type { Tool } from "../tool/tool.ts";
import { type CliSummary, ownersBeside, summaryOf } from "./summary.ts";

/** Most characters of a name that is read as another one. */
export const maxNameLength = 128;

/** `mcp__climax__`, `climax:`, `functions.` */
const clientPrefix = /^(?:functions?[.:])?(?:mcp[_.:/-]+)?(?:climax[_.:/-]+)?/i;

/** All tools of a session. */
export class ToolTable {
  readonly #tools: readonly Tool[];
  readonly #features: readonly Tool[];
  readonly #featureByName: ReadonlyMap<string, Tool>;
  /** Owners that do not answer, whose tools are not known. */
  readonly absent: readonly AbsentOwner[];
  readonly #byName: ReadonlyMap<string, Tool>;
  /** By the names that tools had; none of them is a name. */
  readonly #byAlias: ReadonlyMap<string, Tool>;
  #beside: ReturnType<typeof ownersBeside> | undefined;
  /** By the letters of their names; null: several tools have them. Made for the first unknown name. */
  #byLetters: ReadonlyMap<string, Tool | null> | undefined;

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

  /** The tool of exactly this name, or that had it. */
  get(name: string): Tool | undefined {
    return this.#byName.get(name) ?? this.#byAlias.get(name);
  }

  /**
   * {@linkcode get}, or else the one tool that `name` means: with other separators or letter case, or after the name
   * of its program or server, or of climax, as clients write it. None where a server that does not answer may have it.
   */
  resolve(name: string): Tool | undefined {
    const known = this.get(name);
    const isAbsent = this.absent.some(({ prefix }) => name.startsWith(prefix));
    if (known !== undefined || isAbsent || name.length > maxNameLength) return known;
    this.#byLetters ??= this.#readLetters();
    return this.#byLetters.get(lettersOf(name)) ??
      this.#byLetters.get(lettersOf(withoutClientPrefix(name))) ?? undefined;
  }

  #readLetters(): Map<string, Tool | null> {
    const byLetters = new Map<string, Tool | null>();
    const add = (letters: string, tool: Tool) => {
      const other = byLetters.get(letters);
      byLetters.set(letters, other === undefined || other === tool ? tool : null);
    };
    for (const [name, tool] of [...this.#byName, ...this.#byAlias]) {
      const letters = lettersOf(name);
      add(letters, tool);
      add(lettersOf(tool.owner.name) + letters, tool);
    }
    return byLetters;
  }

  /** Names of which `name` is a misspelling, nearest first. */
  near(name: string): string[] {
    return misspeltNames(name, this.#byName.keys());
  }

  /** The tool that had this name, which none has now. */
  formerly(name: string): Tool | undefined {
    return this.#byName.has(name) ? undefined : this.#byAlias.get(name);
  }

  /** Every CLI with its number of tools, in load order. */
  summary(): CliSummary[] {
    return summaryOf([...this.#tools, ...this.#features], this.absent);
  }

  /** The names of those in the summary that are MCP servers. */
  get servers(): ReadonlySet<string> {
    return this.#ownersBeside().servers;
  }

  /** The names of those in the summary that are scripts. */
  get scripts(): ReadonlySet<string> {
    return this.#ownersBeside().scripts;
  }

  #ownersBeside(): ReturnType<typeof ownersBeside> {
    return this.#beside ??= ownersBeside([...this.#tools, ...this.#features], this.absent);
  }
}

/** `name` without what clients and models write in front of it. */
export function withoutClientPrefix(name: string): string {
  return name.replace(clientPrefix, "");
}

/** `name` without separators and letter case; `v1_1` is not `v11`. */
function lettersOf(name: string): string {
  return name.replace(/(?<!\d)[\s_.:/-]+|[\s_.:/-]+(?!\d)/g, "").toLowerCase();
}
