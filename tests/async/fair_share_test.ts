import assert from "node:assert/strict";
import { countHeld, oldestOfLargest, shareOf } from "../../src/async/semaphore.ts";

Deno.test("oldestOfLargest() returns the oldest item of the owner with most", () => {
  const items = [
    { owner: "a", size: 5, id: 1 },
    { owner: "b", size: 2, id: 2 },
    { owner: "b", size: 1, id: 3 },
  ];
  assert.equal(oldestOfLargest(items, countHeld(items))!.id, 2);
  assert.equal(oldestOfLargest(items, countHeld(items, ({ size }) => size))!.id, 1);
  assert.equal(oldestOfLargest([], new Map()), undefined);
  assert.deepEqual([1, 2, 5].map(shareOf), [1, 1, 3]);
});
