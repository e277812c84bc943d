/** Background jobs and stored outputs of one catalogue: in memory, or with `--state` shared with other instances. */

import { Outputs } from "../jobs/outputs.ts";
import type { Jobs } from "../jobs/jobs.ts";
import type { SharedState } from "../state/shared_state.ts";

interface Kept {
  readonly outputs: Outputs;
  /** To be called when no call runs. */
  close(): Promise<void>;
}

/** Opens a place for outputs, and shares them and `jobs` within `scope` if there is a store. */
export async function openKept(
  jobs: Jobs,
  state: SharedState | undefined,
  scope = "",
): Promise<Kept> {
  const outputs = new Outputs();
  if (state !== undefined) {
    const [{ SharedOutputs }, { SharedJobs }] = await Promise.all([
      import("../jobs/shared/outputs.ts"),
      import("../jobs/shared/jobs.ts"),
    ]);
    const { store, whenDown } = state;
    outputs.share(new SharedOutputs({ store, scope, whenDown }));
    jobs.share(new SharedJobs({ store, scope, whenDown }));
  }
  return { outputs, close: () => outputs.close() };
}
