/** Types of groups before they are written: names of tools, and limits. */

import type { Likeness } from "./group_likeness.ts";

export interface GroupDraft {
  readonly name: string;
  readonly description: string;
  readonly systemPrompt: string;
  readonly complementarityScore?: number | undefined;
  /** Names of tools of the catalogue. */
  readonly tools: readonly string[];
}

/** Sizes and number of groups; names as in the config. */
export interface GroupLimits {
  readonly minToolsPerGroup: number;
  readonly maxToolsPerGroup: number;
  readonly minGroups: number;
  readonly maxGroups: number;
}

/** A repaired group; `draft` is the index of its proposal. */
export interface RepairedGroup {
  /** Absent: the repair made the group, and it must be described. */
  readonly draft?: number;
  /** Without repeats. */
  readonly tools: readonly string[];
}

export interface Repair {
  readonly groups: readonly RepairedGroup[];
  readonly changes: readonly string[];
}

export interface Proposal {
  readonly name: string;
  readonly tools: readonly string[];
}

/** Settings of `repairGroups`. */
export interface RepairOptions {
  readonly names: readonly string[];
  /** Feasible, as `feasibleLimits` returns them. */
  readonly limits: GroupLimits;
  readonly likeness: Likeness;
}

/** The limits nearest to `asked` that `count` tools can meet with each tool in one group. */
export function feasibleLimits(asked: GroupLimits, count: number) {
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
  // No number of groups divides the tools: one more group, with smaller ones
  const groups = Math.ceil(count / most);
  const size = Math.floor(count / groups);
  return {
    limits: { ...asked, minToolsPerGroup: size },
    warnings: [`${count} tools do not make groups of ${least} to ${most}: some will have ${size}`],
  };
}
