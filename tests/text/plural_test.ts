import assert from "node:assert/strict";
import { plural, thousands } from "../../src/text/plural.ts";

Deno.test("thousands() writes whole numbers as `toLocaleString()` does", () => {
  for (const count of [0, 7, 12, 999, 1000, 12_345, 999_999, 1_000_000, 4_294_967_296]) {
    assert.equal(thousands(count), count.toLocaleString("en-US"));
  }
});

Deno.test("plural() has one of a noun, and none or many", () => {
  const texts = [0, 1, 12_345].map((count) => plural(count, "tool"));
  assert.deepEqual(texts, ["0 tools", "1 tool", "12,345 tools"]);
});
