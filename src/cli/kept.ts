/** Background jobs and stored outputs of one catalogue: in memory, or with `--state` shared with other instances. */

import { OutputStore } from "../jobs/outputs.ts";
import type { Outputs } from "../jobs/output_text.ts";
import type { Jobs } from "../jobs/jobs.ts";
import type { SharedState } from "../state/shared_state.ts";

/** Milliseconds that the end of serving waits until outputs are in the store. */
const closeMs = 5000;

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
  const outputs = new OutputStore();
  if (state === undefined) {
    return { outputs, close: () => Promise.resolve(outputs.close()) };
  }
  const [{ SharedOutputs }, { SharedJobs }] = await Promise.all([
    import("../jobs/shared/outputs.ts"),
    import("../jobs/shared/jobs.ts"),
  ]);
  const { store, whenDown } = state;
  const shared = new SharedOutputs(outputs, { store, scope, whenDown });
  jobs.share(new SharedJobs({ store, scope, whenDown }));
  return { outputs: shared, close: () => shared.close(closeMs) };
}
