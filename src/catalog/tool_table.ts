/** The catalogue: every tool that may be called, by name, and nothing that the policy took away. */

import { misspeltNames } from "../text/similar_names.ts";
import { isFeature } from "../tool/feature.ts";
import type { AbsentOwner, Tool } from "../tool/tool.ts";
import { type CliSummary, ownersBeside, summaryOf } from "./summary.ts";

/** Most characters of a name that is read as another one. */
export const maxNameLength = 128;

/** `mcp__climax__`, `climax:`, `functions.` */
const clientPrefix = /^(?:functions?[.:])?(?:mcp[_.:/-]+)?(?:climax[_.:/-]+)?/i;

/** All tools of a session. */
export class ToolTable {
  readonly tools: readonly Tool[];
  /** All prompts, resources and templates, in load order. They are no tools, and found by their kind alone. */
  readonly features: readonly Tool[];
  readonly #featureByName: ReadonlyMap<string, Tool>;
  /** Owners that do not answer, whose tools are not known. */
  readonly absent: readonly AbsentOwner[];
  readonly #byName: ReadonlyMap<string, Tool>;
  /** By the names that tools had, or that agents guess. */
  readonly #byAlias: ReadonlyMap<string, readonly Tool[]>;
  #beside: ReturnType<typeof ownersBeside> | undefined;
  /** By the letters of their names and aliases. Made for the first unknown name. */
  #byLetters: ReadonlyMap<string, ReadonlySet<Tool>> | undefined;

  /** A table of uniquely named tools, prompts and resources, in load order; `absent` have a line in the summary. */
  constructor(all: readonly Tool[], absent: readonly AbsentOwner[] = []) {
    const tools = all.filter((tool) => !isFeature(tool));
    this.tools = tools;
    this.features = all.length === tools.length ? [] : all.filter(isFeature);
    this.#featureByName = new Map(this.features.map((tool) => [tool.name, tool]));
    this.absent = absent;
    this.#byName = new Map(tools.map((tool) => [tool.name, tool]));
    const byAlias = new Map<string, Tool[]>();
    for (const tool of tools) {
      for (const alias of new Set(tool.aliases)) {
        byAlias.getOrInsertComputed(alias, () => []).push(tool);
      }
    }
    this.#byAlias = byAlias;
  }

  /** The prompt, resource or template of exactly this name in the catalogue. */
  feature(name: string): Tool | undefined {
    return this.#featureByName.get(name);
  }

  /** The tool of exactly this name, or the only one with this alias. */
  get(name: string): Tool | undefined {
    return this.#byName.get(name) ?? this.formerly(name);
  }

  /** The one tool that {@linkcode meantBy} a name has. */
  resolve(name: string): Tool | undefined {
    const [tool, other] = this.meantBy(name);
    return other === undefined ? tool : undefined;
  }

  /**
   * The tools that `name` may mean: those of this name or alias, or else with other separators or letter case, or after
   * the name of its program or server, or of climax, as clients write it. None where a server that does not answer may
   * have it.
   */
  meantBy(name: string): readonly Tool[] {
    const named = this.#byName.get(name);
    if (named !== undefined) return [named];
    const aliased = this.#byAlias.get(name);
    if (aliased !== undefined) return aliased;
    const isAbsent = this.absent.some(({ prefix }) => name.startsWith(prefix));
    if (isAbsent || name.length > maxNameLength) return [];
    this.#byLetters ??= this.#readLetters();
    const meant = this.#byLetters.get(lettersOf(name)) ??
      this.#byLetters.get(lettersOf(withoutClientPrefix(name)));
    return [...meant ?? []];
  }

  #readLetters(): Map<string, Set<Tool>> {
    const byLetters = new Map<string, Set<Tool>>();
    const add = (letters: string, tool: Tool) => {
      byLetters.getOrInsertComputed(letters, () => new Set()).add(tool);
    };
    const aliased = this.#byAlias.entries().flatMap(([alias, tools]) => {
      return tools.map((tool) => [alias, tool] as const);
    });
    for (const [name, tool] of [...this.#byName, ...aliased]) {
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

  /** The only tool with this alias, which is the name of none. */
  formerly(name: string): Tool | undefined {
    if (this.#byName.has(name)) return undefined;
    const [tool, other] = this.#byAlias.get(name) ?? [];
    return other === undefined ? tool : undefined;
  }

  /** Every CLI with its number of tools, in load order. */
  summary(): CliSummary[] {
    return summaryOf([...this.tools, ...this.features], this.absent);
  }

  get servers(): ReadonlySet<string> {
    return this.#ownersBeside().servers;
  }

  get scripts(): ReadonlySet<string> {
    return this.#ownersBeside().scripts;
  }

  #ownersBeside(): ReturnType<typeof ownersBeside> {
    return this.#beside ??= ownersBeside([...this.tools, ...this.features], this.absent);
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
