import assert from "node:assert/strict";
import { matchingLines } from "../../src/files/matching_lines.ts";
import { type WorkBudget, workerBudget } from "../../src/files/work_budget.ts";

/** Patterns of some hundred instructions. */
const costly = ["(?:x?){100}y", "(?:\\pL?){100}\\PL"];

function search(text: string, pattern: string, budget: WorkBudget) {
  return matchingLines(
    { text, pattern, ignoreCase: true, from: 1, most: 50, context: 0 },
    { ...budget, work: 400_000 },
  );
}

for (const pattern of costly) {
  Deno.test(`matchingLines() of ${pattern} reads the clock at each long line`, () => {
    // Time is up at the eleventh read
    let time = 0;
    const now = () => time += workerBudget.ms / 10;
    const text = Array(20).fill("x".repeat(100_000)).join("\n");
    const found = search(text, pattern, { ...workerBudget, now });
    assert.ok("last" in found);
    assert.deepEqual([found.last, found.isWhole, found.count], [10, false, 20]);
  });

  Deno.test(`matchingLines() of ${pattern} searches the beginning of a long line only`, () => {
    const text = `${"x".repeat(100)}y!\n${"x".repeat(50_000)}y!`;
    const found = search(text, pattern, workerBudget);
    assert.ok("at" in found);
    // Work of all 50,000 characters would be ten times the budget
    assert.deepEqual([found.at, found.isWhole], [[1], true]);
  });
}

Deno.test("matchingLines() does not compile a pattern of too many instructions", () => {
  const found = search("x", "x{1000}".repeat(140), workerBudget);
  assert.match(JSON.stringify(found), /counts to too much/);
});
