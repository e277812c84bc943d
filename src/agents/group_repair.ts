/**
 * Makes proposed groups meet their limits, whatever is wrong with them, and says what it changed:
 * large ones are split, the smallest merged, leftovers placed by likeness. The same proposal is
 * always repaired the same way.
 */

import type { Proposal, Repair, RepairOptions } from "./group_draft.ts";
import { GroupRepairer } from "./_group_repairer.ts";

/** Groups that hold every tool and meet the limits, near to `proposals`. */
export function repairGroups(proposals: readonly Proposal[], options: RepairOptions): Repair {
  const repairing = new GroupRepairer(proposals, options);
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
