/** Moves tools between groups until the groups meet their limits. */

import type { GroupLimits } from "./group_draft.ts";
import type { Tool } from "../tool/tool.ts";

/** At most this many tools are grouped, because the time grows with the square of their number. */
export const maxComparedTools = 2000;

/** These verbs are in the names of tools of any kind, so they do not make two tools alike. */
const genericVerbs: ReadonlySet<string> = new Set(
  `add apply change check copy count create delete disable edit enable execute find fetch get list
  make merge move open print put query read remove rename replace reset run save search send set show
  start stop submit update view wait write`.split(/\s+/),
);

function wordsOf(name: string): Set<string> {
  const words = name.split(/(?<=[a-z0-9])(?=[A-Z])|[^\p{L}\p{N}]+/u);
  return new Set(words.filter(Boolean).map((word) => word.toLowerCase()));
}

/** Measures from 0 to 1 how alike tools are: half for a common owner, half for common words in their names. */
export class Likeness {
  readonly #tools: ReadonlyMap<string, { readonly owner: string; readonly words: Set<string> }>;

  constructor(tools: readonly Tool[]) {
    this.#tools = new Map(tools.map(({ name, owner }) => {
      const words = wordsOf(name).difference(genericVerbs).difference(wordsOf(owner.name));
      return [name, { owner: owner.name, words }];
    }));
  }

  topicOf(name: string): string {
    return this.#tools.get(name)!.words.values().next().value ?? "";
  }

  between(a: string, b: string): number {
    const [one, other] = [this.#tools.get(a)!, this.#tools.get(b)!];
    const common = one.words.intersection(other.words).size;
    const all = Math.max(1, one.words.size + other.words.size - common);
    return (one.owner === other.owner ? 0.5 : 0) + 0.5 * common / all;
  }

  toGroup(name: string, group: readonly string[]): number {
    const others = group.filter((other) => other !== name);
    const sum = others.reduce((sum, other) => sum + this.between(name, other), 0);
    return others.length === 0 ? 0 : sum / others.length;
  }
}

export interface RepairedGroup {
  /** The index of the proposal that became this group; absent for a group that the repair has made. */
  readonly draft?: number;
  tools: string[];
}

/** Returns groups that have every tool, meet the limits, and are close to `proposals`. The limits must be feasible. */
export function repairGroups(
  proposals: readonly { readonly tools: readonly string[] }[],
  tools: readonly Tool[],
  limits: GroupLimits,
): readonly RepairedGroup[] {
  const names = tools.map(({ name }) => name);
  const groups = proposals.map(({ tools }, draft) => {
    return { draft, tools: [...new Set(tools)].filter((name) => names.includes(name)) };
  }).filter(({ tools }) => tools.length > 0);
  const repair = new Repair(groups, { names, limits, likeness: new Likeness(tools) });
  repair.placeLeftovers();
  if (repair.fits()) return repair.groups;
  // A model may put a tool into several groups, but to meet the limits each tool stays in one group
  repair.dropRepeats();
  repair.splitLarge();
  repair.mergeSmall();
  repair.balance();
  return repair.groups;
}

interface RepairOptions {
  readonly names: readonly string[];
  readonly limits: GroupLimits;
  readonly likeness: Likeness;
}

class Repair {
  groups: readonly RepairedGroup[];
  readonly #options: RepairOptions;
  readonly #minGroups: number;

  constructor(groups: readonly RepairedGroup[], options: RepairOptions) {
    const { names, limits: { minGroups, maxToolsPerGroup } } = options;
    this.groups = groups;
    this.#options = options;
    this.#minGroups = Math.max(minGroups, Math.ceil(names.length / maxToolsPerGroup));
  }

  placeLeftovers(): void {
    if (this.groups.length === 0) this.groups = [{ tools: [] }];
    const placed = new Set(this.groups.flatMap(({ tools }) => tools));
    this.#place(this.#options.names.filter((name) => !placed.has(name)));
  }

  fits(): boolean {
    const { minToolsPerGroup, maxToolsPerGroup, maxGroups } = this.#options.limits;
    return this.groups.length >= this.#minGroups && this.groups.length <= maxGroups &&
      this.groups.every(({ tools: { length } }) => {
        return length >= minToolsPerGroup && length <= maxToolsPerGroup;
      });
  }

  dropRepeats(): void {
    for (const name of this.#options.names) {
      const holders = this.groups.filter(({ tools }) => tools.includes(name));
      const best = likest(name, holders, this.#options.likeness);
      for (const group of holders) if (group !== best) remove(name, group);
    }
    this.groups = this.groups.filter(({ tools }) => tools.length > 0);
  }

  splitLarge(): void {
    const { likeness, limits: { maxToolsPerGroup, maxGroups } } = this.#options;
    while (this.groups.length < maxGroups) {
      const largest = lowest(this.groups, ({ tools }) => -tools.length);
      const isSmall = largest.tools.length <= maxToolsPerGroup;
      if (isSmall && this.groups.length >= this.#minGroups) return;
      this.groups = [...this.groups, { tools: splitOff(largest, likeness) }];
    }
  }

  mergeSmall(): void {
    const { minToolsPerGroup, maxGroups } = this.#options.limits;
    while (this.groups.length > this.#minGroups) {
      const smallest = lowest(this.groups, ({ tools }) => tools.length);
      const isSmall = smallest.tools.length < minToolsPerGroup;
      if (!isSmall && this.groups.length <= maxGroups) return;
      this.groups = this.groups.filter((group) => group !== smallest);
      this.#place(smallest.tools);
    }
  }

  balance(): void {
    const { likeness, limits: { minToolsPerGroup, maxToolsPerGroup } } = this.#options;
    for (const group of this.groups) {
      while (group.tools.length > maxToolsPerGroup) {
        const name = lowest(group.tools.toSorted(), (each) => likeness.toGroup(each, group.tools));
        remove(name, group);
        this.#place([name]);
      }
    }
    for (const group of this.groups) {
      while (group.tools.length < minToolsPerGroup) {
        const donors = this.groups.filter(({ tools }) => tools.length > minToolsPerGroup);
        const offered = donors.flatMap(({ tools }) => tools).toSorted();
        const name = lowest(offered, (each) => -likeness.toGroup(each, group.tools));
        for (const donor of donors) remove(name, donor);
        group.tools.push(name);
      }
    }
  }

  #place(names: readonly string[]): void {
    const { likeness, limits } = this.#options;
    placeTools(names, this.groups, { most: limits.maxToolsPerGroup, likeness });
  }
}

export function placeTools(
  names: readonly string[],
  groups: readonly { readonly tools: string[] }[],
  { most, likeness }: { readonly most: number; readonly likeness: Likeness },
): void {
  for (const name of names) {
    const open = groups.filter(({ tools }) => tools.length < most);
    likest(name, open.length === 0 ? groups : open, likeness).tools.push(name);
  }
}

function likest<Group extends { readonly tools: readonly string[] }>(
  name: string,
  groups: readonly Group[],
  likeness: Likeness,
): Group {
  return lowest(groups, ({ tools }) => -likeness.toGroup(name, tools));
}

function remove(name: string, group: RepairedGroup): void {
  group.tools = group.tools.filter((each) => each !== name);
}

function splitOff(group: RepairedGroup, likeness: Likeness): string[] {
  const keyOf = (name: string) => `${likeness.topicOf(name)}\0${name}`;
  const names = group.tools.toSorted((a, b) => keyOf(a) < keyOf(b) ? -1 : 1);
  const half = Math.ceil(names.length / 2);
  const [cut = half] = names.keys().filter((at) => {
    const isNear = Math.abs(at - half) <= names.length / 6;
    return isNear && likeness.topicOf(names[at]!) !== likeness.topicOf(names[at - 1]!);
  }).toArray().toSorted((a, b) => Math.abs(a - half) - Math.abs(b - half));
  group.tools = names.slice(0, cut);
  return names.slice(cut);
}

function lowest<T>(items: readonly T[], value: (item: T) => number): T {
  const values = items.map(value);
  return items[values.indexOf(Math.min(...values))]!;
}
