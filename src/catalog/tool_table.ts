/** Holds the tools that can be called, by name. */

import { misspeltNames } from "../text/similar_names.ts";
import { isFeature } from "../tool/feature.ts";
import type { AbsentOwner, Tool, WithheldTool } from "../tool/tool.ts";
import { type CliSummary, summaryOf } from "./summary.ts";

/**
 * The most characters of a name that is compared with the names of tools: comparing a huge name would take too long.
 */
export const maxNameLength = 128;

/** Matches what clients and models write before a name: `mcp__climax__`, `climax:`, `functions.`. */
const clientPrefix = /^(?:functions?[.:])?(?:mcp[_.:/-]+)?(?:climax[_.:/-]+)?/i;

/** Tools that cannot be called, each with the reason. Notes of a search may name such tools. */
export interface Uncallable {
  withheld(): Promise<readonly WithheldTool[]>;
  notLoaded(): Promise<readonly WithheldTool[]>;
}

export class ToolTable {
  readonly tools: readonly Tool[];
  readonly features: readonly Tool[];
  readonly #featureByName: ReadonlyMap<string, Tool>;
  /** Servers that do not answer, so that their tools are unknown. */
  readonly absent: readonly AbsentOwner[];
  readonly uncallable: Uncallable | undefined;
  readonly #byName: ReadonlyMap<string, Tool>;
  readonly #byAlias: ReadonlyMap<string, readonly Tool[]>;
  /** Tools by the letters of their names and aliases, made for the first name that no tool has. */
  #byLetters: ReadonlyMap<string, ReadonlySet<Tool>> | undefined;

  constructor(all: readonly Tool[], absent: readonly AbsentOwner[] = [], uncallable?: Uncallable) {
    const tools = all.filter((tool) => !isFeature(tool));
    this.tools = tools;
    this.features = all.length === tools.length ? [] : all.filter(isFeature);
    this.#featureByName = new Map(this.features.map((tool) => [tool.name, tool]));
    this.absent = absent;
    this.uncallable = uncallable;
    this.#byName = new Map(tools.map((tool) => [tool.name, tool]));
    const byAlias = new Map<string, Tool[]>();
    for (const tool of tools) {
      for (const alias of new Set(tool.aliases)) {
        byAlias.getOrInsertComputed(alias, () => []).push(tool);
      }
    }
    this.#byAlias = byAlias;
  }

  feature(name: string): Tool | undefined {
    return this.#featureByName.get(name);
  }

  /** Returns the tool with this name, or the only tool with this alias. */
  get(name: string): Tool | undefined {
    const [tool, other] = this.#byAlias.get(name) ?? [];
    return this.#byName.get(name) ?? (other === undefined ? tool : undefined);
  }

  resolve(name: string): Tool | undefined {
    const [tool, other] = this.meantBy(name);
    return other === undefined ? tool : undefined;
  }

  meantBy(name: string): readonly Tool[] {
    const named = this.#byName.get(name);
    if (named !== undefined) return [named];
    const aliased = this.#byAlias.get(name);
    if (aliased !== undefined) return aliased;
    const isAbsent = this.absent.some(({ prefix }) => name.startsWith(prefix));
    if (isAbsent || name.length > maxNameLength) return [];
    const byLetters = this.#byLetters ??= this.#readLetters();
    const meant = byLetters.get(lettersOf(name)) ??
      byLetters.get(lettersOf(withoutClientPrefix(name)));
    return [...meant ?? []];
  }

  #readLetters(): Map<string, Set<Tool>> {
    const byLetters = new Map<string, Set<Tool>>();
    for (const tool of this.tools) {
      const prefix = lettersOf(tool.owner.name);
      for (const own of [tool.name, ...tool.aliases ?? []].map(lettersOf)) {
        for (const letters of [own, prefix + own]) {
          byLetters.getOrInsertComputed(letters, () => new Set()).add(tool);
        }
      }
    }
    return byLetters;
  }

  near(name: string): string[] {
    return misspeltNames(name, this.#byName.keys());
  }

  summary(): CliSummary[] {
    return summaryOf([...this.tools, ...this.features], this.absent);
  }

  get servers(): ReadonlySet<string> {
    return this.#ownersWith("isServer");
  }

  get scripts(): ReadonlySet<string> {
    return this.#ownersWith("isScripts");
  }

  #ownersWith(key: "isServer" | "isScripts"): Set<string> {
    const owners = [...this.tools, ...this.features].map(({ owner }) => owner);
    const named = [...owners, ...this.absent].filter((owner) => owner[key] === true);
    return new Set(named.map(({ name }) => name));
  }
}

export function withoutClientPrefix(name: string): string {
  return name.replace(clientPrefix, "");
}

/** Removes separators and letter case, except separators between digits: `v1_1` and `v11` are two names. */
function lettersOf(name: string): string {
  return name.replace(/(?<!\d)[\s_.:/-]+|[\s_.:/-]+(?!\d)/g, "").toLowerCase();
}
