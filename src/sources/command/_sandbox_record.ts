/** Describes a sandbox for questions and the audit log. */

import type { Sandbox } from "../../exec/sandbox_view.ts";
import type { SandboxRecord } from "../../tool/runner.ts";

/** Returns what `sandbox` leaves open. */
export function describeSandbox(
  { write, read, hide, network }: Omit<Sandbox, "creates">,
): SandboxRecord {
  return {
    write,
    ...(read.includes("/") ? {} : { read }),
    ...(hide.length === 0 ? {} : { hide }),
    network,
  };
}
