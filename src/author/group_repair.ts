/**
 * Makes proposed groups meet their limits, whatever is wrong with them, and says what it changed:
 * large ones are split, the smallest merged, leftovers placed by likeness. The same proposal is
 * always repaired the same way.
 */

import type { GroupLimits } from "./group_draft.ts";
import type { Likeness } from "./group_likeness.ts";
import { Repairing } from "./_repairing.ts";

/** A group whose tools are moved; `draft` is the position of the proposal it began as. */
export interface RepairedGroup {
  /** Absent: it was made here, and has to be described. */
  readonly draft?: number;
  /** Each once. */
  readonly tools: readonly string[];
  /** Whether other tools are in it than were proposed. */
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

/** Settings of {@linkcode repairGroups}. */
export interface RepairOptions {
  /** Every tool there is. */
  readonly names: readonly string[];
  /** Met by some number of groups, as `feasibleLimits` gives them. */
  readonly limits: GroupLimits;
  readonly likeness: Likeness;
}

/** Groups that hold every tool and meet the limits, near to `proposals`. */
export function repairGroups(proposals: readonly Proposal[], options: RepairOptions): Repair {
  const repairing = new Repairing(proposals, options);
  repairing.dropUnknown();
  repairing.placeLeftovers();
  if (repairing.fits()) return repairing.result();
  // A tool in two groups is fine, until there is a limit in the way
  repairing.dropRepeats();
  repairing.splitLarge();
  repairing.mergeMany();
  repairing.splitFew();
  repairing.balance();
  return repairing.result();
}
