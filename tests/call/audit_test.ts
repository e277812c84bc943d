/** The log line of a call is one line, however many its refusal has. */

import assert from "node:assert/strict";
import type { AuditEntry } from "../../src/call/audit_log.ts";
import { callLine } from "../../src/call/audit.ts";

const common = {
  time: "2026-01-01T00:00:00.000Z",
  client: "a client",
  tool: "git_log",
  decision: "allowed",
  rule: "no policy",
  duration_ms: 12,
  stdout_bytes: 0,
  stderr_bytes: 0,
} as const satisfies AuditEntry;

for (
  const [more, line] of [
    [{ ending: "exited", exit_code: 0 }, "git_log: exited with 0 after 12 ms"],
    [
      { ending: "exited", exit_code: 0, fits: false },
      "git_log: exited with 0 after 12 ms, and its result does not fit output_schema",
    ],
    [{ ending: "timed out" }, "git_log: timed out after 12 ms"],
    [{ refusal: "Unknown tool: git_log" }, "git_log: refused: Unknown tool: git_log"],
    [
      { refusal: "Unknown tool: git_log\nDid you mean: git_lag" },
      "git_log: refused: Unknown tool: git_log; Did you mean: git_lag",
    ],
    [
      { refusal: "Argument validation failed:\n  - one\n  - two:\n  - three" },
      "git_log: refused: Argument validation failed: one; two: three",
    ],
  ] as [Partial<AuditEntry>, string][]
) {
  Deno.test(`callLine() gives "${line}"`, () => {
    assert.equal(callLine({ ...common, ...more }), line);
  });
}
