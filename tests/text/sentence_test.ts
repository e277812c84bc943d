import assert from "node:assert/strict";
import { firstSentence, wholeSentences } from "../../src/text/sentence.ts";
import { assertLinear } from "../_growth.ts";

Deno.test("wholeSentences() ends at no mark within brackets, and after no short form", () => {
  const text = "Read, approx. one (see b. or c.) etc. of it. Then write.";
  assert.equal(wholeSentences(text, 50), "Read, approx. one (see b. or c.) etc. of it.");
});

Deno.test("firstSentence() takes linear time, however many sentences there are", async () => {
  for (const piece of ["!) ", "a. (", "e.g. "]) {
    const makeWork = (size: number) => {
      const text = piece.repeat(size);
      return () => firstSentence(text);
    };
    await assertLinear(makeWork, { size: 5000, what: piece });
  }
});
