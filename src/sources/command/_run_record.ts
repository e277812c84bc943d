/** A run as the audit log has it. */

import type { Ending, RunOutcome } from "../../exec/invocation.ts";
import type { Sandbox } from "../../exec/sandbox_view.ts";
import type { RunRecord } from "../../tool/result.ts";
import type { SandboxRecord } from "../../tool/sandbox_record.ts";

export function recordOf({ ending, stdout, stderr, created }: RunOutcome): RunRecord {
  return {
    ending: describeEnding(ending),
    ...(ending.kind === "exited" ? { exit_code: ending.code } : {}),
    stdout_bytes: stdout.bytes,
    stderr_bytes: stderr.bytes,
    ...(created === undefined ? {} : { set_aside: created.map(({ path }) => path) }),
  };
}

function describeEnding(ending: Ending): string {
  switch (ending.kind) {
    case "signalled":
      return `signal ${ending.signal}`;
    case "not started":
      return `not started: ${ending.failure}`;
    default:
      return ending.kind;
  }
}

export function shownSandbox(
  { write, read, hide, network }: Omit<Sandbox, "creates">,
): SandboxRecord {
  return {
    write,
    ...(read.includes("/") ? {} : { read }),
    ...(hide.length === 0 ? {} : { hide }),
    network,
  };
}
