/** A confirmation as the audit log has it. */

import type { PlanPreview } from "../tool/runner.ts";

/** `asked`: the call ended with the question, and its client sends it again with the answer. */
export type Confirmation = "accepted" | "declined" | "cancelled" | "not asked" | "asked";

export interface AskedPerson {
  /** The plan that the person saw; after a yes, no other is run. */
  readonly preview: PlanPreview;
  readonly confirmation: Confirmation;
  readonly waitedMs: number;
}
