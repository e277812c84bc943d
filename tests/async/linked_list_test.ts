import assert from "node:assert/strict";
import { LinkedList } from "../../src/async/linked_list.ts";

Deno.test("LinkedList has what was added and not removed, in this order", () => {
  const list = new LinkedList<string>();
  assert.deepEqual([list.size, [...list]], [0, []]);
  const [removeA, removeB, removeC] = ["a", "b", "c"].map((item) => list.add(item));
  assert.equal(removeB!(), true);
  assert.equal(removeB!(), false);
  assert.deepEqual([list.size, [...list]], [2, ["a", "c"]]);
  removeC!();
  list.add("d");
  assert.deepEqual([list.size, [...list]], [2, ["a", "d"]]);
  for (const item of list) if (item === "a") removeA!();
  assert.deepEqual([...list], ["d"]);
});
