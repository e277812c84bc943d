/** Groups tools without a language model; the result is deterministic. */

import promptTemplate from "./prompts/offline_agent.md" with { type: "text" };
import { excerpt } from "../text/excerpt.ts";
import { plural } from "../text/plural.ts";
import type { Tool } from "../tool/tool.ts";
import type { GroupDraft, GroupLimits } from "./group_draft.ts";
import { distinctiveWords, Likeness } from "./group_likeness.ts";
import { repairGroups } from "./group_repair.ts";

/** Least share of the tools of one owner for a group named after it. */
const ownersShare = 0.8;

/** Verbs that tools of any group have; a group is named for their object. */
const genericVerbs: ReadonlySet<string> = new Set(
  `add apply change check contain contains copy count create delete disable edit enable execute find
  fetch get give go inspect list ls make merge move open perform print put query read remove rename
  replace reset retrieve return returns run save send set show start stop submit take update view
  wait work works write current existing given multiple single several whole different first last`
    .split(/\s+/),
);

/** Most words in a name after that of the owner. */
const nameWords = 3;

/** Most characters of a description. */
const descriptionLength = 300;

export function groupOffline(tools: readonly Tool[], limits: GroupLimits): GroupDraft[] {
  const likeness = new Likeness(tools);
  const names = tools.map(({ name }) => name);
  const clusters = clustersOf(names, {
    likeness,
    maxSize: limits.maxToolsPerGroup,
    maxCount: limits.maxGroups,
    minCount: limits.minGroups,
  });
  const proposals = clusters.map((cluster) => ({ name: "", tools: cluster }));
  const { groups } = repairGroups(proposals, { names, limits, likeness });
  return describeGroups(groups.map((group) => group.tools), tools, likeness);
}

/** Makes names, descriptions and prompts for groups from the words that distinguish them. */
export function describeGroups(
  groups: readonly (readonly string[])[],
  tools: readonly Tool[],
  likeness: Likeness,
): GroupDraft[] {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const taken = new Set<string>();
  const descriptions = new Set<string>();
  return groups.map((names) => {
    const own = names.map((name) => byName.get(name)!);
    const others = tools.filter(({ name }) => !names.includes(name));
    const name = nameOf(own, others, taken);
    taken.add(name.toLowerCase());
    const common = descriptionOf(own, distinctiveWords(own, others));
    // A client chooses by the description, so two groups must not have the same
    const description = descriptions.has(common) ? withNames(common, names) : common;
    descriptions.add(description);
    return {
      name,
      description,
      systemPrompt: promptOf(name, description, own),
      complementarityScore: Math.round(likeness.within(names) * 100) / 100,
      tools: names,
    };
  });
}

function nameOf(own: readonly Tool[], others: readonly Tool[], taken: ReadonlySet<string>): string {
  const owners = ownersOf(own);
  const [[owner, count]] = owners as [[string, number]];
  const isOwners = count >= own.length * ownersShare;
  const ownersText = owners.map(([each]) => each.toLowerCase()).join(" ");
  const telling = distinctiveWords(own, others)
    .filter((word) => !ownersText.includes(word) && !genericVerbs.has(word));
  const candidates = [
    ...(isOwners && !others.some((tool) => tool.owner.name === owner) ? [title(owner)] : []),
    ...[nameWords, nameWords + 1, nameWords + 2].map((length) => {
      const words = telling.slice(0, length).map(title).join(", ");
      return isOwners || words === "" ? [title(owner), words].filter(Boolean).join(": ") : words;
    }),
  ];
  const free = candidates.find((name) => !taken.has(name.toLowerCase()));
  if (free !== undefined) return free;
  const last = candidates.at(-1)!;
  for (let number = 2;; number++) {
    if (!taken.has(`${last} ${number}`.toLowerCase())) return `${last} ${number}`;
  }
}

function descriptionOf(own: readonly Tool[], telling: readonly string[]): string {
  const owners = ownersOf(own).map(([owner]) => owner).join(", ");
  const about = own.map(({ owner }) => owner.description.trim()).find((text) => text !== "");
  const isOne = new Set(own.map(({ owner }) => owner.name)).size === 1;
  const topic = telling.slice(0, 6).join(", ");
  const parts = [
    `Works with ${owners}${isOne && about ? ` (${about.replace(/\.$/, "")})` : ""}.`,
    topic === "" ? "" : `Good for tasks about ${topic}.`,
    `Has ${plural(own.length, "tool")}.`,
  ];
  return excerpt(parts.filter(Boolean).join(" "), descriptionLength);
}

/** Puts names in front of a description, so that they are not cut off. */
function withNames(description: string, names: readonly string[]): string {
  const listed = excerpt(names.toSorted().join(", "), descriptionLength / 2);
  return excerpt(`Tools: ${listed}. ${description}`, descriptionLength);
}

function promptOf(name: string, description: string, own: readonly Tool[]): string {
  const values: Record<string, string> = {
    name,
    description,
    tools: excerpt(own.map((tool) => tool.name).join(", "), 1000),
  };
  return promptTemplate.replace(/\{(\w+)\}/g, (whole, key) => values[key] ?? whole).trim();
}

/** Returns the owners of tools, those with most tools first. */
function ownersOf(tools: readonly Tool[]): [owner: string, count: number][] {
  const counts = new Map<string, number>();
  for (const { owner } of tools) counts.set(owner.name, (counts.get(owner.name) ?? 0) + 1);
  return [...counts].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
}

function title(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

interface ClusterOptions {
  readonly likeness: Likeness;
  readonly maxSize: number;
  /** There may be more because of `maxSize`. */
  readonly maxCount: number;
  readonly minCount: number;
}

/** Clusters at a larger distance are unrelated. Two single tools have a distance of 1 at most. */
const farthest = 1.6;

/** Clusters tools. The result does not depend on the order of `names`. */
function clustersOf(names: readonly string[], options: ClusterOptions): string[][] {
  const { maxSize, maxCount, minCount } = options;
  const tree = new Merging(names.toSorted(), options);
  while (tree.count > minCount) {
    const pair = tree.nearest(maxSize);
    if (pair === undefined) break;
    if (tree.count <= maxCount && pair.distance > farthest) break;
    tree.merge(pair.a, pair.b);
  }
  return tree.clusters();
}

interface Pair {
  readonly a: number;
  readonly b: number;
  readonly distance: number;
}

/** Clusters by the method of Ward: the distance of two clusters is the spread of both together, so sizes stay similar. */
class Merging {
  readonly #members: (string[] | undefined)[];
  readonly #distances: Float64Array[];
  count: number;

  constructor(names: readonly string[], { likeness }: ClusterOptions) {
    this.#members = names.map((name) => [name]);
    this.count = names.length;
    this.#distances = names.map((a, i) => {
      return Float64Array.from(names, (b, j) => i === j ? 0 : 1 - likeness.between(a, b));
    });
  }

  clusters(): string[][] {
    return this.#members.filter((members) => members !== undefined);
  }

  nearest(maxSize: number): Pair | undefined {
    let best: Pair | undefined;
    for (let a = 0; a < this.#members.length; a++) {
      const own = this.#members[a];
      if (own === undefined) continue;
      const row = this.#distances[a]!;
      for (let b = a + 1; b < row.length; b++) {
        const other = this.#members[b];
        if (other === undefined || own.length + other.length > maxSize) continue;
        const distance = row[b]!;
        if (best === undefined || distance < best.distance) best = { a, b, distance };
      }
    }
    return best;
  }

  merge(a: number, b: number): void {
    const [left, right] = [this.#members[a]!, this.#members[b]!];
    const joined = this.#distances[a]![b]!;
    for (let c = 0; c < this.#members.length; c++) {
      const other = this.#members[c];
      if (other === undefined || c === a || c === b) continue;
      const { length: n } = other;
      const distance = ((left.length + n) * this.#distances[a]![c]! +
        (right.length + n) * this.#distances[b]![c]! - n * joined) /
        (left.length + right.length + n);
      this.#distances[a]![c] = this.#distances[c]![a] = distance;
    }
    left.push(...right);
    this.#members[b] = undefined;
    this.count--;
  }
}
