/** A question to a person and its answer, as the audit log has them. */

import type { PlanPreview } from "../tool/runner.ts";

/** The answer as the audit log has it. */
export type Confirmation = "accepted" | "declined" | "cancelled" | "not asked";

/** A question to a person and its answer. */
export interface AskedPerson {
  /** The plan that was shown, which is run after a yes and no other. */
  readonly shown: PlanPreview;
  readonly confirmation: Confirmation;
  readonly waitedMs: number;
}
