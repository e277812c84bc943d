/** Holds every callable tool by name. Tools that the policy withholds are not in it. */

import { misspeltNames } from "../text/similar_names.ts";
import { isFeature } from "../tool/feature.ts";
import type { AbsentOwner, Tool, WithheldTool } from "../tool/tool.ts";
import { type CliSummary, ownersBeside, summaryOf } from "./summary.ts";

/** A name with more characters is not compared with others. */
export const maxNameLength = 128;

/** Clients and models write `mcp__climax__`, `climax:` and `functions.` in front of a name. */
const clientPrefix = /^(?:functions?[.:])?(?:mcp[_.:/-]+)?(?:climax[_.:/-]+)?/i;

/** Tools that cannot be called, each with the reason. A search may name them. */
export interface Uncallable {
  /** Returns the tools that are withheld until a person allows them. */
  withheld(): Promise<readonly WithheldTool[]>;
  /** Returns the tools of bundled configs that are not loaded. */
  notLoaded(): Promise<readonly WithheldTool[]>;
}

/** The tools of a session, which it finds by name. */
export class ToolTable {
  readonly tools: readonly Tool[];
  /** All prompts, resources and templates, in load order. They are not tools; each is found by its own kind. */
  readonly features: readonly Tool[];
  readonly #featureByName: ReadonlyMap<string, Tool>;
  /** Owners that do not answer, so that their tools are unknown. */
  readonly absent: readonly AbsentOwner[];
  /** The tools that exist and are not in the table; absent if a search names none. */
  readonly uncallable: Uncallable | undefined;
  readonly #byName: ReadonlyMap<string, Tool>;
  /** Tools by the names they had before, or that agents guess. */
  readonly #byAlias: ReadonlyMap<string, readonly Tool[]>;
  #beside: ReturnType<typeof ownersBeside> | undefined;
  /** Tools by the letters of their names and aliases; the first unknown name builds this. */
  #byLetters: ReadonlyMap<string, ReadonlySet<Tool>> | undefined;

  /**
   * Creates a table of uniquely named tools, prompts and resources, in load order; the owners in
   * `absent` have a line in the summary.
   */
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

  /** Returns the prompt, resource or template with exactly this name. */
  feature(name: string): Tool | undefined {
    return this.#featureByName.get(name);
  }

  /** Returns the tool with exactly this name, or the only one with this alias. */
  get(name: string): Tool | undefined {
    return this.#byName.get(name) ?? this.formerly(name);
  }

  /** Returns the tool if {@linkcode meantBy} finds exactly one. */
  resolve(name: string): Tool | undefined {
    const [tool, other] = this.meantBy(name);
    return other === undefined ? tool : undefined;
  }

  /**
   * Returns the tools that `name` may mean: tools with this name or alias, else those with other
   * separators or letter case, or without the name of a program, a server or climax in front, as
   * clients write it. It returns none if a server that does not answer may have the tool.
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

  /** Returns the names of which `name` is a misspelling, nearest first. */
  near(name: string): string[] {
    return misspeltNames(name, this.#byName.keys());
  }

  /** Returns the only tool with this alias, if no tool has it as its name. */
  formerly(name: string): Tool | undefined {
    if (this.#byName.has(name)) return undefined;
    const [tool, other] = this.#byAlias.get(name) ?? [];
    return other === undefined ? tool : undefined;
  }

  /** Returns every CLI with its number of tools, in load order. */
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

/** Returns `name` without the words that clients and models write in front of it. */
export function withoutClientPrefix(name: string): string {
  return name.replace(clientPrefix, "");
}

/** Returns `name` without separators and letter case. It keeps `v1_1` apart from `v11`. */
function lettersOf(name: string): string {
  return name.replace(/(?<!\d)[\s_.:/-]+|[\s_.:/-]+(?!\d)/g, "").toLowerCase();
}
