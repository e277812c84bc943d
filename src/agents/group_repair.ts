/** Moves tools between groups until these meet the limits, and reports each change. It uses no chance. */

import type { GroupLimits } from "./group_draft.ts";
import { quote } from "../text/excerpt.ts";
import { plural } from "../text/plural.ts";
import type { Tool } from "../tool/tool.ts";

/** At most this many tools are compared in pairs: the time grows with the square of their number. */
export const maxComparedTools = 2000;

/** Verbs that tools of any kind have in their names, so that they make no two tools alike. */
const genericVerbs: ReadonlySet<string> = new Set(
  `add apply change check copy count create delete disable edit enable execute find fetch get list
  make merge move open print put query read remove rename replace reset run save search send set show
  start stop submit update view wait write`.split(/\s+/),
);

/** Returns the words of a tool's name without {@linkcode genericVerbs}. */
function wordsOfName(name: string): string[] {
  const words = name.split(/(?<=[a-z0-9])(?=[A-Z])|[^\p{L}\p{N}]+/u).map((word) =>
    word.toLowerCase()
  );
  return words.filter((word) => word !== "" && !genericVerbs.has(word));
}

/** Measures how alike tools are: a common owner counts one half, and common words in their names the other half. */
export class Likeness {
  readonly #tools: ReadonlyMap<string, { readonly owner: string; readonly words: Set<string> }>;

  constructor(tools: readonly Tool[]) {
    this.#tools = new Map(tools.map(({ name, owner }) => {
      const words = new Set(wordsOfName(name)).difference(new Set(wordsOfName(owner.name)));
      return [name, { owner: owner.name, words }];
    }));
  }

  /** Returns the topic of a tool: the first word of its name that is no verb and no name of its owner. */
  topicOf(name: string): string {
    return this.#tools.get(name)!.words.values().next().value ?? "";
  }

  between(a: string, b: string): number {
    const [one, other] = [this.#tools.get(a)!, this.#tools.get(b)!];
    const common = one.words.intersection(other.words).size;
    const all = Math.max(1, one.words.size + other.words.size - common);
    return (one.owner === other.owner ? 0.5 : 0) + 0.5 * common / all;
  }

  /** Returns how alike the tool `name` is to the other tools of `group`, on average. */
  toGroup(name: string, group: readonly string[]): number {
    const others = group.filter((other) => other !== name);
    const sum = others.reduce((sum, other) => sum + this.between(name, other), 0);
    return others.length === 0 ? 0 : sum / others.length;
  }
}

export interface RepairedGroup {
  /** The index of the proposed group; absent: the repair made this group, so it has no description yet. */
  readonly draft?: number;
  readonly tools: readonly string[];
}

interface Repair {
  readonly groups: readonly RepairedGroup[];
  readonly changes: readonly string[];
}

interface Proposal {
  readonly name: string;
  readonly tools: readonly string[];
}

interface RepairOptions {
  readonly names: readonly string[];
  /** The limits, which the tools must be able to meet (`feasibleLimits`). */
  readonly limits: GroupLimits;
  readonly likeness: Likeness;
}

/** Returns groups that have every tool, meet the limits, and are close to `proposals`. */
export function repairGroups(proposals: readonly Proposal[], options: RepairOptions): Repair {
  const repairing = new GroupRepairer(proposals, options);
  repairing.dropUnknown();
  repairing.placeLeftovers();
  if (repairing.fits()) return repairing.result();
  // A tool may be in several groups, but where limits are missed, each one stays in one group to make room
  repairing.dropRepeats();
  repairing.splitLarge();
  repairing.mergeSmall();
  repairing.balance();
  return repairing.result();
}

interface Working {
  readonly draft?: number;
  readonly label: string;
  tools: string[];
}

class GroupRepairer {
  readonly #options: RepairOptions;
  readonly #changes: string[] = [];
  #groups: Working[];

  constructor(proposals: readonly Proposal[], options: RepairOptions) {
    this.#options = options;
    this.#groups = proposals.map(({ name, tools }, draft) => {
      const label = quote(name);
      const own = [...new Set(tools)];
      const repeats = tools.length - own.length;
      if (repeats > 0) this.#say(`${plural(repeats, "repeated tool")} taken out of ${label}`);
      return { draft, label, tools: own };
    });
  }

  dropUnknown(): void {
    const known = new Set(this.#options.names);
    for (const group of this.#groups) {
      const remaining = group.tools.filter((name) => known.has(name));
      const dropped = group.tools.length - remaining.length;
      if (dropped > 0) {
        const what = `${plural(dropped, "tool")} that ${dropped === 1 ? "does" : "do"} not exist`;
        this.#say(`${what} taken out of ${group.label}`);
      }
      group.tools = remaining;
    }
    this.#dropEmpty();
  }

  placeLeftovers(): void {
    const placed = new Set(this.#groups.flatMap(({ tools }) => tools));
    const unplaced = this.#options.names.filter((name) => !placed.has(name));
    if (unplaced.length === 0) return;
    if (this.#groups.length === 0) {
      this.#groups.push({ label: "a new group", tools: unplaced });
      return;
    }
    for (const name of unplaced) {
      const open = this.#groups.filter(({ tools }) => {
        return tools.length < this.#options.limits.maxToolsPerGroup;
      });
      this.#likest(name, open.length === 0 ? this.#groups : open).tools.push(name);
    }
    const were = unplaced.length === 1 ? "was" : "were";
    this.#say(`${plural(unplaced.length, "tool")} that ${were} in no group placed by likeness`);
  }

  fits(): boolean {
    const { minToolsPerGroup, maxToolsPerGroup, minGroups, maxGroups } = this.#options.limits;
    return this.#groups.length >= minGroups && this.#groups.length <= maxGroups &&
      this.#groups.every(({ tools: { length } }) => {
        return length >= minToolsPerGroup && length <= maxToolsPerGroup;
      });
  }

  dropRepeats(): void {
    let dropped = 0;
    for (const name of this.#options.names) {
      const holders = this.#groups.filter(({ tools }) => tools.includes(name));
      if (holders.length < 2) continue;
      const best = this.#likest(name, holders);
      for (const group of holders) {
        if (group === best) continue;
        group.tools = group.tools.filter((tool) => tool !== name);
        dropped++;
      }
    }
    if (dropped > 0) this.#say(`${plural(dropped, "repeated tool")} left in one group each`);
    this.#dropEmpty();
  }

  /** Halves the largest group while that is too large, or there are too few groups. */
  splitLarge(): void {
    const { maxToolsPerGroup, maxGroups } = this.#options.limits;
    while (this.#groups.length < maxGroups) {
      const largest = this.#groups.reduce((a, b) => b.tools.length > a.tools.length ? b : a);
      if (largest.tools.length <= maxToolsPerGroup && this.#groups.length >= this.#minGroups) {
        return;
      }
      this.#split(largest);
    }
  }

  /** Merges the smallest group into a similar one while it is too small, or there are too many groups. */
  mergeSmall(): void {
    const { minToolsPerGroup, maxToolsPerGroup, maxGroups } = this.#options.limits;
    const most = Math.min(maxGroups, Math.floor(this.#options.names.length / minToolsPerGroup));
    while (this.#groups.length > this.#minGroups) {
      const smallest = this.#groups.reduce((a, b) => b.tools.length < a.tools.length ? b : a);
      const isSmall = smallest.tools.length < minToolsPerGroup;
      if (!isSmall && this.#groups.length <= most) return;
      const others = this.#groups.filter((group) => group !== smallest);
      const open = others.filter(({ tools: { length } }) => {
        return length + smallest.tools.length <= maxToolsPerGroup;
      });
      this.#merge(smallest, this.#likestGroup(smallest, open.length === 0 ? others : open));
    }
  }

  /** The least number of groups that can hold all tools. */
  get #minGroups(): number {
    const { names, limits: { minGroups, maxToolsPerGroup } } = this.#options;
    return Math.max(minGroups, Math.ceil(names.length / maxToolsPerGroup));
  }

  /** Moves single tools out of groups that are too large, and into groups that are too small. */
  balance(): void {
    const { minToolsPerGroup: least, maxToolsPerGroup: most } = this.#options.limits;
    let moved = 0;
    for (const group of this.#groups) {
      while (group.tools.length > most) {
        const open = this.#groups.filter(({ tools }) => tools.length < most);
        this.#moveLikest(group, open);
        moved++;
      }
    }
    for (const group of this.#groups) {
      while (group.tools.length < least) {
        const donors = this.#groups.filter((each) => each !== group && each.tools.length > least);
        this.#takeLikest(group, donors);
        moved++;
      }
    }
    if (moved > 0) this.#say(`${plural(moved, "tool")} moved so that every group is of a size`);
  }

  result(): Repair {
    const groups = this.#groups.map(({ draft, tools }) => {
      return draft === undefined ? { tools } : { draft, tools };
    });
    return { groups, changes: this.#changes };
  }

  /** Splits a group near the middle of its tools by topic, if possible between two topics. */
  #split(group: Working): void {
    const { likeness } = this.#options;
    const names = group.tools.map((name) => `${likeness.topicOf(name)}\0${name}`).toSorted()
      .map((text) => text.slice(text.indexOf("\0") + 1));
    const half = names.length / 2;
    const begins = names.map((_, at) => at).slice(Math.ceil(names.length / 3), -names.length / 3)
      .filter((at) => likeness.topicOf(names[at]!) !== likeness.topicOf(names[at - 1]!));
    const cut = least([...begins, Math.ceil(half)], (at) => {
      return begins.includes(at) ? Math.abs(at - half) : half;
    });
    group.tools = names.slice(0, cut);
    const near = names.slice(cut);
    this.#groups.push({ label: `the half of ${group.label}`, tools: near });
    this.#say(`${group.label} split in two`);
  }

  #merge(from: Working, into: Working): void {
    into.tools = [...new Set([...into.tools, ...from.tools])];
    this.#groups = this.#groups.filter((group) => group !== from);
    this.#say(`${from.label} merged into ${into.label}`);
  }

  #moveLikest(from: Working, open: readonly Working[]): void {
    const { likeness } = this.#options;
    const name = least(from.tools.toSorted(), (each) => likeness.toGroup(each, from.tools));
    from.tools = from.tools.filter((each) => each !== name);
    this.#likest(name, open).tools.push(name);
  }

  #takeLikest(into: Working, donors: readonly Working[]): void {
    const { likeness } = this.#options;
    const offered = donors.flatMap(({ tools }) => tools).filter((name) =>
      !into.tools.includes(name)
    );
    const name = least(offered.toSorted(), (each) => -likeness.toGroup(each, into.tools));
    const donor = donors.find(({ tools }) => tools.includes(name))!;
    donor.tools = donor.tools.filter((each) => each !== name);
    into.tools.push(name);
  }

  #likest(name: string, groups: readonly Working[]): Working {
    return least(groups, ({ tools }) => -this.#options.likeness.toGroup(name, tools));
  }

  #likestGroup(group: Working, others: readonly Working[]): Working {
    const { likeness } = this.#options;
    return least(others, (other) => {
      return -group.tools.reduce((sum, name) => sum + likeness.toGroup(name, other.tools), 0);
    });
  }

  #dropEmpty(): void {
    const empty = this.#groups.filter(({ tools }) => tools.length === 0);
    if (empty.length === 0) return;
    this.#groups = this.#groups.filter(({ tools }) => tools.length > 0);
    this.#say(`${empty.map(({ label }) => label).join(", ")} left out: no tools`);
  }

  #say(change: string): void {
    this.#changes.push(change);
  }
}

/** Returns the item with the lowest value, and the first of several such items. */
function least<T extends object | string | number>(
  items: readonly T[],
  value: (item: T) => number,
): T {
  let best = items[0]!;
  let lowest = Infinity;
  for (const item of items) {
    const own = value(item);
    if (own < lowest) [best, lowest] = [item, own];
  }
  return best;
}
