/** What is made of the output of tests under Wine. */

import assert from "node:assert/strict";
import { readReport, summaryLines } from "../../build/_windows_report.ts";

const output = (...lines: readonly string[]) => lines.join("\r\n");

Deno.test("readReport() counts tests, and gives the reasons of those that did not pass", () => {
  const report = readReport(
    "a_test.ts",
    output(
      "running 4 tests from ./a_test.ts",
      "one ... ok (1ms)",
      "two ... ignored (0ms)",
      "three ... FAILED (1m2s)",
      "four ... FAILED (12ms)",
      " ERRORS ",
      "",
      "three => ./a_test.ts:1:6",
      "error: NotFound: Failed to spawn 'sh': entity not found",
      "",
      "four => ./a_test.ts:2:6",
      "error: AssertionError: 1 !== 2",
      "",
      "FAILED | 1 passed | 2 failed | 1 ignored (1s)",
      "exit code 1",
    ),
    "bwrap\nnginx\nbwrap\n",
  );
  assert.deepEqual(summaryLines([report]), [
    "ignored: a_test.ts: two (without bwrap, nginx, or a test of Unix)",
    "failed, as expected: a_test.ts: three (it runs a program of Windows, or of the shell of Git " +
    "for Windows, that is not in the setup)",
    "FAILED: a_test.ts: four: AssertionError: 1 !== 2",
    "1 passed, 1 failed, 1 failed as explained, 1 ignored",
  ]);
});

for (
  const [what, last, expected] of [
    ["breaks after its tests", "ok | 1 passed | 0 failed (1s)\r\nexit code 139", "explained"],
    ["is ended", "exit code 124", "unknown"],
    ["breaks before its end", "exit code 139", "unknown"],
  ] as const
) {
  Deno.test(`readReport() reports a file that ${what}`, () => {
    const { failed } = readReport("a_test.ts", output("one ... ok (1ms)", "", last), "");
    assert.deepEqual(
      failed.map(({ reason }) => reason === undefined ? "unknown" : "explained"),
      [expected],
    );
  });
}
