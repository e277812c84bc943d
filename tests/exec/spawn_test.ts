/** The length of command lines of Windows. */

import assert from "node:assert/strict";
import { isLineTooLong } from "../../src/exec/spawn.ts";

const units = 32_766 - "x.exe".length - 3 - 3;

for (
  const [what, program, arg, expected] of [
    ["a line as long as Windows takes", "x.exe", "a".repeat(units), false],
    ["one unit more", "x.exe", "a".repeat(units + 1), true],
    ["quotes, which are escaped", "x.exe", '"'.repeat(units / 2 + 1), true],
    ["a short line of a batch file", "x.cmd", "a".repeat(8_000), false],
    ["a line that cmd.exe would cut", "X.BAT", "a".repeat(8_192), true],
    ["the same for a program", "x.exe", "a".repeat(8_192), false],
  ] as const
) {
  Deno.test(`isLineTooLong() decides on ${what}`, () => {
    assert.equal(isLineTooLong(program, [arg]), expected);
  });
}
