import assert from "node:assert/strict";
import { type Judged, measure, ndcgAt, recallAt } from "../../src/cli/commands/eval.ts";

const close = 1e-9;

Deno.test("recallAt() is the share of groups of which one name is among the first k", () => {
  const cases: [Judged, number, number][] = [
    [{ ranked: ["a", "b"], want: [["a"]] }, 1, 1],
    [{ ranked: ["a", "b"], want: [["b"]] }, 1, 0],
    [{ ranked: ["a", "b"], want: [["b"]] }, 2, 1],
    [{ ranked: ["a", "b"], want: [["x", "b"]] }, 2, 1],
    [{ ranked: ["a", "b"], want: [["a"], ["x"]] }, 5, 0.5],
    [{ ranked: ["a", "b"], want: [["a"], ["b"]] }, 1, 0.5],
    [{ ranked: [], want: [["a"]] }, 5, 0],
    [{ ranked: [], want: [] }, 5, 1],
  ];
  for (const [judged, k, expected] of cases) assert.equal(recallAt(judged, k), expected);
});

Deno.test("ndcgAt() gives nothing for a second name of a group or a name after k", () => {
  const once = ndcgAt({ ranked: ["a", "x"], want: [["a", "b"], ["c"]] }, 10);
  assert.equal(ndcgAt({ ranked: ["a", "b"], want: [["a", "b"], ["c"]] }, 10), once);
  assert.equal(ndcgAt({ ranked: ["x", "a"], want: [["a"]] }, 1), 0);
});

Deno.test("measure() averages over queries and counts empty answers", () => {
  const measures = measure([
    { ranked: ["a"], want: [["a"]] },
    { ranked: ["x", "b"], want: [["b"]] },
    { ranked: [], want: [["c"]] },
    { ranked: ["x"], want: [["d"]] },
  ]);
  assert.equal(measures.recall1, 1 / 4);
  assert.equal(measures.recall5, 2 / 4);
  assert.equal(measures.recall10, 2 / 4);
  assert.equal(measures.mrr, (1 + 1 / 2) / 4);
  assert.ok(Math.abs(measures.ndcg10 - (1 + 1 / Math.log2(3)) / 4) < close);
  assert.equal(measures.empty, 1 / 4);
});
