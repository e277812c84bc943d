import assert from "node:assert/strict";
import {
  ClimaxError,
  ExitCode,
  formatPlace,
  formatProblem,
  messageOf,
  type Problem,
  UsageError,
} from "../src/errors.ts";

Deno.test("ExitCode is the closed list of 0 to 5", () => {
  assert.deepEqual(ExitCode, {
    ok: 0,
    failure: 1,
    usage: 2,
    file: 3,
    internalError: 4,
    startsItself: 5,
  });
});

const problems: readonly [problem: Problem, text: string][] = [
  [{ message: "No" }, "No"],
  [{ message: "No", file: "f.yaml" }, "f.yaml: No"],
  [{ message: "No", file: "f.yaml", line: 2, column: 3 }, "f.yaml:2:3: No"],
  [{ message: "No", hint: "Do" }, "No\n  hint: Do"],
  [{ message: "No", file: "f.yaml", line: 2, column: 3, hint: "Do" }, "f.yaml:2:3: No\n  hint: Do"],
];

for (const [problem, text] of problems) {
  Deno.test(`formatProblem() writes ${JSON.stringify(text)}`, () => {
    assert.equal(formatProblem(problem), text);
  });
}

Deno.test("UsageError is a ClimaxError with its own exit code and its text as the problem", () => {
  const error = new UsageError("Unknown command 'serach'", "Did you mean: search");
  assert.equal(error instanceof ClimaxError, true);
  assert.equal(error.exitCode, ExitCode.usage);
  assert.equal(error.name, "UsageError");
  assert.deepEqual(error.problems, [
    { message: "Unknown command 'serach'", hint: "Did you mean: search" },
  ]);
  assert.deepEqual(new UsageError("No").problems, [{ message: "No" }]);
});

Deno.test("formatPlace() has as much as is known", () => {
  assert.equal(formatPlace({ file: "a", line: 1, column: 2 }), "a:1:2");
  assert.equal(formatPlace({ file: "a", line: 1 }), "a:1");
  assert.equal(formatPlace({ file: "a" }), "a");
  assert.equal(formatPlace({ line: 1, column: 2 }), "");
});

Deno.test("messageOf() reads whatever was thrown", () => {
  assert.equal(messageOf(new TypeError("bad")), "bad");
  assert.equal(messageOf("bad"), "bad");
  assert.equal(messageOf(undefined), "undefined");
});

Deno.test("messageOf() leaves out what the runtime adds to a failure of the system", () => {
  for (
    const [message, text] of [
      ["No such file or directory (os error 2)", "No such file or directory"],
      ["No such file or directory (os error 2): open '/a/b'", "No such file or directory"],
      [
        "The system cannot find the path. (os error 3): open 'C'",
        "The system cannot find the path",
      ],
      ["Failed to spawn 'x': Denied (os error 13)", "Failed to spawn 'x': Denied"],
      ["os error 2", "os error 2"],
      ["Ends. (really)", "Ends. (really)"],
    ] as const
  ) {
    assert.equal(messageOf(new Error(message)), text);
  }
  assert.throws(() => Deno.readFileSync("/no such/file"), (error) => {
    return !/os error|no such.file/.test(messageOf(error));
  });
});
