/** What a test file leaves to the slow lane, if it is in both (`build/test.ts`). Alone it runs whole. */

import { type Tests, testsUnless } from "./_requirements.ts";

/** Has the name of the lane that runs as a whole. */
export const laneVariable = "CLIMAX_TEST_LANE";

const isFast = Deno.env.get(laneVariable) === "fast";

/** The first rows of a table in the fast lane; else all of them. */
export function shortly<Row>(rows: readonly Row[], count = 1): readonly Row[] {
  return isFast ? rows.slice(0, count) : rows;
}

/** Defines no tests in the fast lane; else those of `tests`. */
export function slowly(tests: Tests = testsUnless(false)): Tests {
  return isFast ? { ...tests, test: () => {} } : tests;
}
