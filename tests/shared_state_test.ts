/** What tests share with each other: the time of the machine, and the variables of the process. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { filesBelow, root } from "./_fixtures.ts";

/** Passing depends on no duration in any of them, or on a ratio of two in the same run. */
const reasons: Readonly<Record<string, string>> = {
  "tests/_growth.ts": "the ratio of two durations",
  "tests/_raw_server.ts": "a connection that is reset after its bytes have gone",
  "tests/_wait.ts": "deadlines of tests that hang",
  "tests/async/clock_test.ts": "the system clock itself",
  "tests/call/audit_log_test.ts": "the date in a log line",
  "tests/cli/commands/approve_test.ts": "dates of calls that wait",
  "tests/conformance/reference_server.ts": "messages that the conformance suite wants one by one",
  "tests/e2e/_soak.ts": "memory of a server at rest",
  "tests/e2e/endings_test.ts": "two looks at a process",
  "tests/fixtures/upstream/odd_server.ts": "a server that does not answer",
  "tests/fixtures/worker/tasks_given_up.ts": "threads that tell nobody when they begin",
  "tests/server/http/oauth_test.ts": "dates in tokens",
  "tests/session/watch_files_test.ts": "when a call arrives, on the clock of calls",
  "tests/slow/linear_expressions_test.ts": "what a thread computes for one text",
  "tests/slow/sources/scripts/escapes_attack_test.ts":
    "the clock within a script, which stands still",
  "tests/slow/worker/run_task_test.ts": "a thread that tells nobody when it begins",
  "tests/sources/scripts/script_run_test.ts":
    "the clock within a script, the same in both of its runs",
  "tests/sources/scripts/vm_test.ts": "the clock within a script, which stands still",
  "tests/sources/upstream/cache_test.ts": "dates in cached files",
  "tests/state/line_file_test.ts":
    "turns for other writers, and looks at a file until a line is there",
  "tests/upstream_faults/deno_test.ts": "turns of an event loop that a worker may miss",
};

/** The files of the tests whose text matches. */
function testsWith(pattern: RegExp): string[] {
  return filesBelow("tests", /\.ts$/)
    .filter((file) => pattern.test(Deno.readTextFileSync(join(root, file))));
}

Deno.test("no test reads a clock or sleeps without a reason that is listed here", () => {
  const clock = /\b(?:performance\.now|Date\.now|setTimeout|pause)\(/;
  const found = testsWith(clock).filter((file) => file !== "tests/shared_state_test.ts");
  assert.deepEqual(found, Object.keys(reasons));
});

Deno.test("no test changes the variables or the directory of the process, which other tests have as well", () => {
  const change = /\bDeno\.(?:env\.(?:set|delete)|chdir)\(/;
  assert.deepEqual(testsWith(change), []);
});

Deno.test("no test draws values that another run does not draw", () => {
  const found = testsWith(/from "fast-check"|Math\.random\(/);
  assert.deepEqual(found, [
    "tests/_properties.ts",
    "tests/shared_state_test.ts",
    "tests/slow/linear_expressions_test.ts",
    "tests/sources/scripts/script_run_test.ts",
  ]);
});
