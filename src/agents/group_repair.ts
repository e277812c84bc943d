/** Repairs proposed groups so that they meet their limits, and says what it has changed. It is deterministic. */

import type { Proposal, Repair, RepairOptions } from "./group_draft.ts";
import { quote } from "../text/excerpt.ts";
import { plural } from "../text/plural.ts";

/** Returns groups with every tool, within the limits and close to `proposals`. */
export function repairGroups(proposals: readonly Proposal[], options: RepairOptions): Repair {
  const repairing = new GroupRepairer(proposals, options);
  repairing.dropUnknown();
  repairing.placeLeftovers();
  if (repairing.fits()) return repairing.result();
  // Only if a limit is missed, each tool is left in one group
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

  /** Puts each tool without a group into the most similar group that is not full. */
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

  /** Leaves each tool only in the group it is most similar to. */
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

  /** Halves the largest group while it is over its limit, or there are too few groups. */
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

  /** Merges the smallest group while there are too many groups, or while it is too small and there are enough. */
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

  /** The least number of groups that hold all tools. */
  get #minGroups(): number {
    const { names, limits: { minGroups, maxToolsPerGroup } } = this.#options;
    return Math.max(minGroups, Math.ceil(names.length / maxToolsPerGroup));
  }

  /** Moves single tools from groups with too many to others, and to groups with too few. */
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

  /** Splits into two groups of similar size around the two least similar tools. */
  #split(group: Working): void {
    const { likeness } = this.#options;
    const names = group.tools.toSorted();
    const first = least(names, (name) => likeness.toGroup(name, names));
    const second = least(names.filter((name) => name !== first), (name) => {
      return likeness.between(first, name);
    });
    const lean = (name: string) => likeness.between(first, name) - likeness.between(second, name);
    const rest = names.filter((name) => name !== first && name !== second)
      .toSorted((a, b) => lean(b) - lean(a));
    const half = Math.ceil(rest.length / 2);
    group.tools = [second, ...rest.slice(half)];
    const near = [first, ...rest.slice(0, half)];
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

/** Returns the item with the lowest value, the first of equals. */
function least<T extends object | string>(items: readonly T[], value: (item: T) => number): T {
  let best = items[0]!;
  let lowest = Infinity;
  for (const item of items) {
    const own = value(item);
    if (own < lowest) [best, lowest] = [item, own];
  }
  return best;
}
