/**
 * Repairs proposed groups to meet their limits, and says what it changed: large ones are split, the smallest merged,
 * leftovers placed by similarity. The result is deterministic.
 */

import type { Proposal, Repair, RepairOptions } from "./group_draft.ts";
import { GroupRepairer } from "./_group_repairer.ts";

/** Groups with every tool within the limits, close to `proposals`. */
export function repairGroups(proposals: readonly Proposal[], options: RepairOptions): Repair {
  const repairing = new GroupRepairer(proposals, options);
  repairing.dropUnknown();
  repairing.placeLeftovers();
  if (repairing.fits()) return repairing.result();
  // A tool may be in two groups unless that exceeds a limit
  repairing.dropRepeats();
  repairing.splitLarge();
  repairing.mergeMany();
  repairing.splitFew();
  repairing.balance();
  return repairing.result();
}
