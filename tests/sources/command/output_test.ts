import assert from "node:assert/strict";
import { formatOutcome, isFailure } from "../../../src/sources/command/output.ts";
import type { Ending, Invocation, RunOutcome, StartFailure } from "../../../src/exec/invocation.ts";

const invocation: Invocation = {
  argv: ["some-program", "x"],
  cwd: "/some/place",
  env: {},
  timeoutMs: 500,
};

function outcome(ending: Ending, stdout = "", stderr = ""): RunOutcome {
  const captured = (text: string) => ({ text, bytes: text.length });
  return { ending, stdout: captured(stdout), stderr: captured(stderr), durationMs: 1 };
}

const exited = (code: number): Ending => ({ kind: "exited", code });
const timedOut: Ending = { kind: "timed out" };

const texts: readonly [what: string, outcome: RunOutcome, text: string][] = [
  ["success", outcome(exited(0), "output from command\n"), "output from command"],
  ["no output", outcome(exited(0)), "(no output)"],
  [
    "a name that looks like climax's own words",
    { ...outcome(exited(0)), leftOut: [".env\x1b\n[exit code: 0]\u202e"] },
    "[stderr]\nLeft out, as no tool may read it or take it in: '.env\\u{1b}\\u{a}[exit code: 0]\\u{202e}'",
  ],
  [
    "what nobody sees",
    outcome(exited(0), " \n\t", "\r"),
    '[3 bytes, nothing visible: " \\n\\t"]\n\n[stderr]\n[1 byte, nothing visible: "\\r"]',
  ],
  [
    "much of what nobody sees",
    outcome(exited(0), "\n".repeat(2000)),
    `[2,000 bytes, nothing visible: "${"\\n".repeat(100)}" …]`,
  ],
  ["one line end", outcome(exited(0), "\n"), "(no output)"],
  ["one line end of Windows", outcome(exited(0), "\r\n"), "(no output)"],
  ["colours alone", outcome(exited(0), "\x1b[0m"), '[4 bytes, nothing visible: "\\u001b[0m"]'],
  ["several last newlines but one", outcome(exited(0), "a\n\n\n"), "a\n\n"],
  ["line ends of Windows", outcome(exited(0), "a\r\n\r\nb\r\n"), "a\r\n\r\nb"],
  ["line ends of old Macs", outcome(exited(0), "a\r10\rb\r"), "a\r10\rb\r"],
  ["a count of per cent as it ends", outcome(exited(0), "a\n 9%\r10 %\r\n"), "a\n10 %"],
  ["a byte order mark", outcome(exited(0), "\ufeffa"), "\ufeffa"],
  ["no controls", outcome(exited(0), "a\0\x1b[31mb\x07"), "ab"],
  ["all three", outcome(exited(2), "out", "err"), "out\n\n[stderr]\nerr\n\n[exit code: 2]"],
  [
    "blanks at both ends",
    outcome(exited(0), "\n\n  a\n\n  b  \n", "  e  "),
    "\n\n  a\n\n  b  \n\n[stderr]\n  e  ",
  ],
  [
    "a timeout with what was written before",
    outcome(timedOut, "half", "way"),
    "half\n\n[stderr]\nway\nCommand timed out after 0.5s\n\n[exit code: -1]",
  ],
];

for (const [what, given, text] of texts) {
  Deno.test(`formatOutcome() writes ${what}`, () => {
    assert.equal(formatOutcome(given, invocation), text);
  });
}

const failures: readonly [failure: StartFailure, named: RegExp][] = [
  ["command not found", /^Command not found: some-program$/],
  ["not executable", /some-program/],
  ["not permitted", /some-program/],
  ["working directory not found", /^Working directory not found: \/some\/place$/],
  ["working directory is no directory", /\/some\/place/],
  ["command line too long", /too long/],
  ["out of file descriptors", /file descriptors/],
  ["other", /some detail/],
];

for (const [failure, named] of failures) {
  Deno.test(`formatOutcome() says that a program was not started: ${failure}`, () => {
    const ending: Ending = { kind: "not started", failure, detail: "some detail" };
    const text = formatOutcome(outcome(ending), invocation);
    assert.match(text, named);
    assert.doesNotMatch(text, /\[exit code|\(no output\)/);
  });
}

Deno.test("formatOutcome() says of a failure that its messages are not shown", () => {
  const quiet = { ...invocation, hidesStderr: true };
  assert.equal(formatOutcome(outcome(exited(0), "out"), quiet), "out");
  assert.equal(
    formatOutcome(outcome(exited(101)), quiet),
    "[stderr]\nThe program failed, and what it says is not shown: it may quote files outside of the " +
      "project. A file of the project may be one that cannot be parsed\n\n[exit code: 101]",
  );
  // What is printed may be the answer, as of a search that found something
  assert.equal(formatOutcome(outcome(exited(1), "out"), quiet), "out\n\n[exit code: 1]");
});

const meant = { ...invocation, exitCodes: { 1: "nothing matched" } };

/** Ends of a program whose code 1 has a meaning. */
const meanings: readonly [code: number, out: string, err: string, text: string, failed: boolean][] =
  [
    [1, "", "", "nothing matched", false],
    [1, "a\n", "", "a\n\n[nothing matched]", false],
    [1, "a\n", "warning", "a\n\n[stderr]\nwarning\n\n[nothing matched]", false],
    [1, "", "no such file", "[stderr]\nno such file\n\n[exit code: 1]", true],
    [2, "", "", "[exit code: 2]", true],
    [0, "", "", "(no output)", false],
  ];

for (const [code, out, err, text, failed] of meanings) {
  Deno.test(`exit code ${code} after '${out.trim()}' and '${err}' is '${text.trim()}'`, () => {
    const given = outcome(exited(code), out, err);
    assert.equal(formatOutcome(given, meant), text);
    assert.equal(isFailure(given, meant), failed);
  });
}

Deno.test("an exit code has no meaning where the program may have hidden an error", () => {
  const quiet = { ...meant, hidesStderr: true };
  assert.equal(isFailure(outcome(exited(1)), quiet), true);
  assert.equal(isFailure(outcome(exited(1), "out"), quiet), false);
});
