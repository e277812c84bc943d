import assert from "node:assert/strict";
import fc from "../_properties.ts";
import { feasibleLimits } from "../../src/agents/group_draft.ts";
import { repairGroups } from "../../src/agents/group_repair.ts";
import type { Tool } from "../../src/tool/tool.ts";
import { anyLimits, manyTools, serversTools } from "./_group_tools.ts";

const limits = { minToolsPerGroup: 5, maxToolsPerGroup: 20, minGroups: 3, maxGroups: 10 };

function repair(tools: readonly Tool[], proposals: readonly (readonly string[])[]) {
  const feasible = feasibleLimits(limits, tools.length).limits;
  return repairGroups(proposals.map((each) => ({ tools: each })), tools, feasible);
}

const tools = serversTools({ notes: ["page", "tag"], mail: ["letter", "folder"], git: ["branch"] });
const namesOf = (server: string) => {
  return tools.filter(({ owner }) => owner.name === server).map(({ name }) => name);
};
const good = [namesOf("notes"), namesOf("mail"), namesOf("git")];

Deno.test("repairGroups() places leftovers where their like is", () => {
  const groups = repair(tools, good.map((names) => names.slice(1)));
  assert.deepEqual(groups.map((group) => group.tools.toSorted()), good.map((g) => g.toSorted()));
});

Deno.test("repairGroups() splits what is too large, and leaves like tools together", () => {
  const large = serversTools({ notes: ["page", "tag", "book", "shelf", "room"], git: ["branch"] });
  const names = large.map(({ name }) => name);
  const groups = repair(large, [names.slice(0, 25), names.slice(25)]);
  assert.deepEqual(groups.map((group) => group.tools.length).toSorted(), [10, 15, 5]);
});

Deno.test("repairGroups() makes groups out of nothing at all", () => {
  assert.equal(repair(tools, []).flatMap((group) => group.tools).length, tools.length);
});

/** Proposals with anything wrong: unknown tools, repeated ones, empty groups, none at all. */
const anyProposals = (count: number) => {
  const name = fc.integer({ min: 0, max: count + 2 }).map((index) => `tool_${index}`);
  return fc.array(fc.array(name, { maxLength: 2 * count }), { maxLength: 15 });
};

Deno.test("repairGroups() meets any limits from any proposal, and repeats itself", () => {
  const all = manyTools(70);
  const given = fc.integer({ min: 1, max: 70 }).chain((count) => {
    return fc.tuple(fc.constant(count), anyLimits, anyProposals(count));
  });
  fc.assert(
    fc.property(given, ([count, any, lists]) => {
      const names = all.slice(0, count).map(({ name }) => name);
      const { limits } = feasibleLimits(any, count);
      const proposals = lists.map((each) => ({ tools: each }));
      const tools = all.slice(0, count);
      const groups = repairGroups(proposals, tools, limits);
      assert.deepEqual(new Set(groups.flatMap((group) => group.tools)), new Set(names));
      assert.equal(groups.length >= limits.minGroups && groups.length <= limits.maxGroups, true);
      for (const { tools: own } of groups) {
        assert.equal(new Set(own).size, own.length);
        assert.equal(own.length >= limits.minToolsPerGroup, true);
        assert.equal(own.length <= limits.maxToolsPerGroup, true);
      }
      assert.deepEqual(repairGroups(proposals, tools, limits), groups);
    }),
    { numRuns: 300 },
  );
});
