/** Calls of clients, by stages that the first loads: `tools/list` does without. All other code imports `call.ts`. */

import type { CallResult } from "../tool/result.ts";
import type * as stages from "./call.ts";

/** An import takes six microseconds each time. */
let loaded: typeof stages | undefined;

/** {@linkcode stages.call} */
export async function loadAndCall(...args: Parameters<typeof stages.call>): Promise<CallResult> {
  loaded ??= await import("./call.ts");
  return await loaded.call(...args);
}

/** {@linkcode stages.refuseCall} */
export async function loadAndRefuse(
  ...args: Parameters<typeof stages.refuseCall>
): Promise<CallResult> {
  loaded ??= await import("./call.ts");
  return await loaded.refuseCall(...args);
}
