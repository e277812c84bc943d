/** How large an expression is, before it is compiled. */

import assert from "node:assert/strict";
import { RE2JS } from "re2js";
import { expressionOf, sizeWhenExpanded } from "../../src/files/bounded_expression.ts";
import { BudgetExceeded, inlineBudget, workerBudget } from "../../src/files/work_budget.ts";

const sizes = [
  ...["abc", "a|b|c", "(a{0,1000})", "(?:ab){20}", "(?:(?:a{0,10}){0,10}){0,9}", "a{5,}"],
  ...["\\p{Greek}{40}", "[a-z\\]]{30}", "[]a]{30}", "[^]a]{30}", "[[:alpha:]]{30}", "\\({30}"],
  ...["(?i)straße{9}", "(?P<name>x){12}", "\\Q{9}\\E", "^a*b+?c??$"],
];

for (const pattern of sizes) {
  Deno.test(`sizeWhenExpanded() is no less than what is compiled: ${pattern}`, () => {
    const compiled = RE2JS.compile(pattern).programSize();
    const size = sizeWhenExpanded(pattern);
    // Of any expression there is a beginning and an end
    assert.ok(size + 4 >= compiled && size <= 8 * compiled + 16, `${size} for ${compiled}`);
  });
}

Deno.test("expressionOf() compiles no more than a second's worth, and here a moment's", () => {
  assert.doesNotThrow(() => expressionOf("(a{0,1000})".repeat(90), 0, workerBudget));
  assert.throws(() => expressionOf("(a{0,1000})".repeat(90), 0, inlineBudget), BudgetExceeded);
  assert.doesNotThrow(() => expressionOf("\\d{4}-\\d{2}-\\d{2}", 0, inlineBudget));
  assert.throws(
    () => expressionOf("((a{0,100}){0,100}){0,100}", 0, workerBudget),
    /counts to too much/,
  );
});
