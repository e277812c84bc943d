import assert from "node:assert/strict";
import { feasibleLimits, groupProblems } from "../../src/agents/group_draft.ts";
import { groupOffline } from "../../src/agents/group_build.ts";
import { cliOf, toolOf } from "../_tools.ts";
import { manyTools, serversTools } from "./_group_tools.ts";

const asked = { minToolsPerGroup: 5, maxToolsPerGroup: 20, minGroups: 3, maxGroups: 10 };

Deno.test("groupOffline() groups what belongs together, and names it for its owner", () => {
  const tools = serversTools({
    notes: ["page", "tag"],
    mail: ["letter", "folder"],
    git: ["branch", "commit"],
  });
  const groups = groupOffline(tools, asked);
  assert.deepEqual(groups.map(({ name }) => name).toSorted(), ["Git", "Mail", "Notes"]);
  for (const { name, tools: names } of groups) {
    assert.equal(names.every((each) => each.startsWith(name.toLowerCase())), true, name);
  }
});

for (const count of [1, 4, 14, 15, 100, 201, 500]) {
  Deno.test(`groupOffline() of ${count} tools passes the validator`, () => {
    const tools = manyTools(count);
    const { limits } = feasibleLimits(asked, count);
    const names = new Set(tools.map(({ name }) => name));
    assert.deepEqual(groupProblems(groupOffline(tools, limits), names, limits), []);
  });
}

Deno.test("groupOffline() describes no two groups with the same words", () => {
  for (const count of [100, 500]) {
    const uniform = Array.from({ length: count }, (_, at) => {
      return toolOf(`thing_${at}`, {
        description: "Works in area with things",
        owner: cliOf("s1"),
      });
    });
    const limits = {
      minToolsPerGroup: 5,
      maxToolsPerGroup: count / 5,
      minGroups: 3,
      maxGroups: 10,
    };
    const descriptions = groupOffline(uniform, limits).map(({ description }) => description);
    assert.equal(new Set(descriptions).size, descriptions.length);
    assert.equal(descriptions.length > 3, true);
  }
});
