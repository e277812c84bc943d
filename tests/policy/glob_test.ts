import assert from "node:assert/strict";
import { matchesGlob } from "../../src/policy/select.ts";
import { assertLinear } from "../_growth.ts";

const rows: readonly [glob: string, text: string, matches: boolean][] = [
  ["", "", true],
  ["", "a", false],
  ["a", "a", true],
  ["a", "A", false],
  ["a", "ab", false],
  ["*", "", true],
  ["*", "a.b/c\nd", true],
  ["a*", "a", true],
  ["a*", "ba", false],
  ["*a", "aba", true],
  ["a*b*c", "aXbXbc", true],
  ["a*b*c", "aXbXb", false],
  ["a?c", "abc", true],
  ["a?c", "ac", false],
  ["?", "", false],
  ["*?", "", false],
  ["**a", "a", true],
  ["[a]", "a", false],
  ["a.c", "abc", false],
];

for (const [glob, text, matches] of rows) {
  Deno.test(`matchesGlob() ${matches ? "fits" : "does not fit"} ${JSON.stringify([glob, text])}`, () => {
    assert.equal(matchesGlob(glob, text), matches);
  });
}

Deno.test("matchesGlob() takes linear time", async () => {
  // With backtracking, each asterisk is another power of the length
  for (const glob of ["*a*b", "*?*b"]) {
    await assertLinear((size) => {
      const text = "a".repeat(size);
      return () => assert.equal(matchesGlob(glob, text), false);
    }, { size: 5_000, what: glob });
  }
});
