/** Holds each callable tool by name. Tools that the policy withholds are not in it. */

import { misspeltNames } from "../text/similar_names.ts";
import { isFeature } from "../tool/feature.ts";
import type { AbsentOwner, Tool, WithheldTool } from "../tool/tool.ts";
import { type CliSummary, ownersBeside, summaryOf } from "./summary.ts";

/** Names with more characters are not compared with others. */
export const maxNameLength = 128;

/** Matches what clients and models write before a name: `mcp__climax__`, `climax:`, `functions.`. */
const clientPrefix = /^(?:functions?[.:])?(?:mcp[_.:/-]+)?(?:climax[_.:/-]+)?/i;

/** Tools that cannot be called, each with the reason; search notes may name them. */
export interface Uncallable {
  /** Returns tools that a person has not allowed yet. */
  withheld(): Promise<readonly WithheldTool[]>;
  /** Returns tools of bundled configs that are not loaded. */
  notLoaded(): Promise<readonly WithheldTool[]>;
}

/** The tools of a session, found by name. */
export class ToolTable {
  readonly tools: readonly Tool[];
  /** Prompts, resources and templates in load order. */
  readonly features: readonly Tool[];
  readonly #featureByName: ReadonlyMap<string, Tool>;
  /** Owners that do not answer at present, so that their tools are not known. */
  readonly absent: readonly AbsentOwner[];
  /** Tools outside of the table that search notes may name. */
  readonly uncallable: Uncallable | undefined;
  readonly #byName: ReadonlyMap<string, Tool>;
  /** Tools by former names and by names that agents guess. */
  readonly #byAlias: ReadonlyMap<string, readonly Tool[]>;
  #beside: ReturnType<typeof ownersBeside> | undefined;
  /** Tools by the letters of their names and aliases. Built for the first unknown name. */
  #byLetters: ReadonlyMap<string, ReadonlySet<Tool>> | undefined;

  /** Creates a table of uniquely named entries, in load order. `absent` owners have a line in the summary. */
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

  /** Returns the tool with this name, or the only one with this alias. */
  get(name: string): Tool | undefined {
    return this.#byName.get(name) ?? this.formerly(name);
  }

  resolve(name: string): Tool | undefined {
    const [tool, other] = this.meantBy(name);
    return other === undefined ? tool : undefined;
  }

  /**
   * Returns the tools with this name or alias; else those whose names differ in separators or letter case only, or by
   * the name of a program, server or client before them. None, if a server that does not answer may have the tool.
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

  /** Returns the names of which `name` may be a misspelling, nearest first. */
  near(name: string): string[] {
    return misspeltNames(name, this.#byName.keys());
  }

  /** Returns the only tool with this alias, unless `name` is the name of a tool. */
  formerly(name: string): Tool | undefined {
    if (this.#byName.has(name)) return undefined;
    const [tool, other] = this.#byAlias.get(name) ?? [];
    return other === undefined ? tool : undefined;
  }

  /** Returns all programs and servers with their numbers of tools, in load order. */
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

/** Returns `name` without what clients and models write before it. */
export function withoutClientPrefix(name: string): string {
  return name.replace(clientPrefix, "");
}

/** Returns `name` without separators, in lower case. Separators between digits stay, so that `v1_1` is not `v11`. */
function lettersOf(name: string): string {
  return name.replace(/(?<!\d)[\s_.:/-]+|[\s_.:/-]+(?!\d)/g, "").toLowerCase();
}
