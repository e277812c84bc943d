import assert from "node:assert/strict";
import { firstSentence, wholeSentences } from "../../src/text/sentence.ts";
import { assertLinear } from "../_growth.ts";

Deno.test("wholeSentences() ends at no mark within brackets, and after no short form", () => {
  const text = "Read, approx. one (see b. or c.) etc. of it. Then write.";
  assert.equal(wholeSentences(text, 50), "Read, approx. one (see b. or c.) etc. of it.");
});

Deno.test("sentences end where a reader ends them", () => {
  const text = "Read a log, e.g. of git (see 1.5). Fails\nif it is missing.";
  assert.equal(firstSentence(text), "Read a log, e.g. of git (see 1.5).");
  const open = "Pairs to send. Their separator is one of:";
  assert.equal(wholeSentences(open), "Pairs to send.");
  assert.equal(wholeSentences("One is short. Two is longer", 20), "One is short.");
  assert.equal(wholeSentences("Separator:"), "Separator");
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
