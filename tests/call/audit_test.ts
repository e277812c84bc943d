/** The log line of a call is one line, however many its refusal has. */

import assert from "node:assert/strict";
import { join } from "node:path";
import type { AuditEntry } from "../../src/call/audit_log.ts";
import { callLine } from "../../src/call/audit.ts";
import { call } from "../../src/call/call.ts";
import { resetLog, setLogFile } from "../../src/log.ts";
import { sessionOf } from "../_session.ts";
import { scratch } from "../e2e/_scratch.ts";

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

Deno.test("a call that is refused is logged without an audit log, and no other", async () => {
  await using dir = await scratch();
  const file = join(dir.path, "log");
  const tools = [{ name: "only", command: "deno", argv: ["--version"] }];
  await using session = await sessionOf({ tools });
  setLogFile(file);
  await call(session, { tool: "only" });
  await call(session, { tool: "none" });
  resetLog();
  const lines = (await Deno.readTextFile(file)).trimEnd().split("\n");
  assert.equal(lines.length, 1);
  assert.match(lines[0]!, / warning: none: refused: Unknown tool: /);
});

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
