/** Calls of clients, by stages that the first loads: `tools/list` does without. All other code imports `call.ts`. */

import type { CallResult } from "../tool/result.ts";
import type * as stages from "./call.ts";

/** An import takes six microseconds each time. */
let loading: Promise<typeof stages> | undefined;

/** {@linkcode stages.call} */
export async function loadAndCall(...args: Parameters<typeof stages.call>): Promise<CallResult> {
  return await (await loadStages()).call(...args);
}

/** {@linkcode stages.refuseCall} */
export async function loadAndRefuse(
  ...args: Parameters<typeof stages.refuseCall>
): Promise<CallResult> {
  return await (await loadStages()).refuseCall(...args);
}

function loadStages(): Promise<typeof stages> {
  return loading ??= import("./call.ts");
}
