import assert from "node:assert/strict";
import { shortHash } from "../../src/text/short_hash.ts";

// The vectors of the draft, appendix C
for (
  const [text, hash] of [
    ["", "cbf29ce484222325"],
    ["a", "af63dc4c8601ec8c"],
    ["foobar", "85944171f73967e8"],
  ] as const
) {
  Deno.test(`shortHash() of ${JSON.stringify(text)} is FNV-1a`, () => {
    assert.equal(shortHash(text), hash);
  });
}
