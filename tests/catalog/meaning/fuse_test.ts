import assert from "node:assert/strict";
import { fuse } from "../../../src/catalog/tool_index.ts";

const all = { limit: 10, weight: 0.5 };

Deno.test("fuse() weighs words and meaning", () => {
  const byWords = [{ document: 0, score: 10 }, { document: 1, score: 9 }];
  assert.deepEqual(fuse(byWords, Float64Array.of(0.1, 0.9, 0.2, 0.2), all), [1, 0, 2, 3]);
  assert.deepEqual(fuse([], Float64Array.of(0.1, 0.9, 0.2), all), [1, 2, 0]);
  assert.deepEqual(fuse(byWords, new Float64Array(3), all), [0, 1, 2]);
  assert.deepEqual(fuse([], new Float64Array(), all), []);
  const light = { ...all, weight: 0.05 };
  assert.deepEqual(fuse(byWords, Float64Array.of(0.1, 0.9, 0.2, 0.2), light), [0, 1, 2, 3]);
});

Deno.test("fuse() looks at the best two hundred of each and gives the others by words after them", () => {
  const count = 1000;
  const byWords = Array.from({ length: 300 }, (_, tool) => ({ document: tool, score: 300 - tool }));
  const nearness = Float64Array.from({ length: count }, (_, tool) => tool / count);
  const found = fuse(byWords, nearness, { ...all, limit: count });
  assert.equal(found.length, 500);
  assert.equal(new Set(found).size, 500);
  assert.deepEqual(found.slice(400), Array.from({ length: 100 }, (_, at) => 200 + at));
  assert.ok(found.slice(0, 400).every((tool) => tool < 200 || tool >= 800));
});
