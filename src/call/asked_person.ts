/** A confirmation as the audit log has it. */

import type { PlanPreview } from "../tool/runner.ts";

export type Confirmation = "accepted" | "declined" | "cancelled" | "not asked";

export interface AskedPerson {
  /** The plan that the person saw; after a yes, no other is run. */
  readonly preview: PlanPreview;
  readonly confirmation: Confirmation;
  readonly waitedMs: number;
}
