import assert from "node:assert/strict";
import { formatProblem, messageOf, type Problem } from "../src/errors.ts";

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
