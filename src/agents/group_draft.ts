/** A group while it is being made: names of tools, and what may still be wrong with it. */

import type { Likeness } from "./group_likeness.ts";

/** One proposed group. */
export interface GroupDraft {
  readonly name: string;
  readonly description: string;
  readonly systemPrompt: string;
  readonly complementarityScore?: number | undefined;
  /** Names of tools of the catalogue. */
  readonly tools: readonly string[];
}

/** How large and how many groups are to be; names as in the config. */
export interface GroupLimits {
  readonly minToolsPerGroup: number;
  readonly maxToolsPerGroup: number;
  readonly minGroups: number;
  readonly maxGroups: number;
}

/** A group whose tools are moved; `draft` is the position of the proposal it began as. */
export interface RepairedGroup {
  /** Absent: it was made here, and has to be described. */
  readonly draft?: number;
  /** Each once. */
  readonly tools: readonly string[];
  /** True if other tools are in it than were proposed. */
  readonly changed: boolean;
}

/** Groups within limits, and what was done to them. */
export interface Repair {
  readonly groups: readonly RepairedGroup[];
  readonly changes: readonly string[];
}

/** What is to be repaired. */
export interface Proposal {
  readonly name: string;
  readonly tools: readonly string[];
}

/** Settings of `repairGroups`. */
export interface RepairOptions {
  /** Every tool there is. */
  readonly names: readonly string[];
  /** Met by some number of groups, as `feasibleLimits` gives them. */
  readonly limits: GroupLimits;
  readonly likeness: Likeness;
}

/** Limits that a number of tools can meet, and how they differ from those that were asked for. */
export interface FeasibleLimits {
  readonly limits: GroupLimits;
  readonly warnings: readonly string[];
}

/**
 * The nearest to `asked` that `count` tools can meet with each tool in one group: fewer groups where
 * there are few tools, larger ones where there are many.
 */
export function feasibleLimits(asked: GroupLimits, count: number): FeasibleLimits {
  const { minToolsPerGroup: least, maxToolsPerGroup: most, minGroups, maxGroups } = asked;
  if (count < minGroups * least) {
    const groups = Math.max(1, Math.floor(count / least));
    return {
      limits: {
        minToolsPerGroup: Math.min(least, count),
        maxToolsPerGroup: Math.max(most, Math.ceil(count / groups)),
        minGroups: groups,
        maxGroups: groups,
      },
      warnings: [
        `${count} tools are too few for ${minGroups} groups of ${least}: there will be ${groups}`,
      ],
    };
  }
  if (count > maxGroups * most) {
    const size = Math.ceil(count / maxGroups);
    return {
      limits: { ...asked, maxToolsPerGroup: size },
      warnings: [
        `${count} tools are too many for ${maxGroups} groups of ${most}: ` +
        `groups will have up to ${size}`,
      ],
    };
  }
  for (let groups = minGroups; groups <= maxGroups; groups++) {
    if (groups * least <= count && count <= groups * most) return { limits: asked, warnings: [] };
  }
  // No number of groups divides so many tools: one more group, its tools shared out
  const groups = Math.ceil(count / most);
  const size = Math.floor(count / groups);
  return {
    limits: { ...asked, minToolsPerGroup: size },
    warnings: [`${count} tools do not make groups of ${least} to ${most}: some will have ${size}`],
  };
}
