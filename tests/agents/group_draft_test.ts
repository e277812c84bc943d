import assert from "node:assert/strict";
import fc from "../_properties.ts";
import { feasibleLimits, type GroupLimits } from "../../src/agents/group_draft.ts";
import { anyLimits } from "./_group_tools.ts";

/** The data model's, entity 5. */
const asked: GroupLimits = {
  minToolsPerGroup: 5,
  maxToolsPerGroup: 20,
  minGroups: 3,
  maxGroups: 10,
};

const few: readonly [count: number, groups: number, least: number][] = [
  [14, 2, 5],
  [10, 2, 5],
  [9, 1, 5],
  [5, 1, 5],
  [4, 1, 4],
  [1, 1, 1],
];

for (const [count, groups, least] of few) {
  Deno.test(`feasibleLimits() has ${count} tools make ${groups} groups, with a warning`, () => {
    const { limits, warnings } = feasibleLimits(asked, count);
    assert.deepEqual([limits.minGroups, limits.maxGroups], [groups, groups]);
    assert.equal(limits.minToolsPerGroup, least);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0]!, /too few for 3 groups of 5/);
  });
}

Deno.test("feasibleLimits() leaves limits alone that can be met", () => {
  for (const count of [15, 60, 200]) {
    assert.deepEqual(feasibleLimits(asked, count), { limits: asked, warnings: [] });
  }
});

Deno.test("feasibleLimits() has 500 tools make larger groups, with a warning", () => {
  const { limits, warnings } = feasibleLimits(asked, 500);
  assert.deepEqual(limits, { ...asked, maxToolsPerGroup: 50 });
  assert.match(
    warnings[0]!,
    /500 tools are too many for 10 groups of 20: groups will have up to 50/,
  );
});

Deno.test("feasibleLimits() gives limits that some number of groups meets", () => {
  fc.assert(fc.property(anyLimits, fc.integer({ min: 1, max: 200 }), (any, count) => {
    const { limits: { minToolsPerGroup, maxToolsPerGroup, minGroups, maxGroups } } = feasibleLimits(
      any,
      count,
    );
    for (let groups = minGroups; groups <= maxGroups; groups++) {
      if (groups * minToolsPerGroup <= count && count <= groups * maxToolsPerGroup) return true;
    }
    return false;
  }));
});
