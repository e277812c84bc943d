import assert from "node:assert/strict";
import {
  feasibleLimits,
  type GroupDraft,
  type GroupLimits,
  groupProblems,
} from "../../src/agents/group_draft.ts";

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
    assert.match(warnings[0]!, /tools do not make 3 to 10 groups of 5 to 20: there will be/);
  });
}

const names = new Set(["a", "b", "c", "d", "e", "f"]);
const limits = { minToolsPerGroup: 2, maxToolsPerGroup: 4, minGroups: 2, maxGroups: 3 };

function draft(name: string, tools: readonly string[], rest: Partial<GroupDraft> = {}): GroupDraft {
  return {
    name,
    description: `Takes care of ${name}.`,
    systemPrompt: `You take care of ${name}. Use the tools to look before you change.`,
    tools,
    ...rest,
  };
}

const cases: readonly [defect: string, groups: readonly GroupDraft[], problem: RegExp][] = [
  ["too few groups", [draft("one", ["a", "b", "c", "d"])], /There are 1 group, expected 2 to 3/],
  [
    "too many groups",
    ["p", "q", "r", "s"].map((name) => draft(name, ["a", "b"])),
    /There are 4 groups, expected 2 to 3/,
  ],
  ["too few tools", [draft("one", ["a"])], /Group 'one' has 1 tool, expected 2 to 4/],
  ["too many tools", [draft("one", [...names])], /Group 'one' has 6 tools, expected 2 to 4/],
  ["a tool twice", [draft("one", ["a", "b", "a"])], /Group 'one' has tools twice: a/],
  ["a tool that is none", [draft("one", ["a", "x"])], /Group 'one' has tools that do not exist: x/],
  ["a tool in no group", [draft("one", ["a", "b"])], /4 tools in no group: c, d, e, f/],
  ["one name twice", [draft("One", ["a"]), draft("one ", ["b"])], /Two groups are named 'one '/],
  ["no letters in the name", [draft("***", ["a"])], /a name without letters or digits/],
  ["no description", [draft("one", ["a"], { description: " " })], /Group 'one' has no description/],
  ["no prompt", [draft("one", ["a"], { systemPrompt: "\n" })], /Group 'one' has no systemPrompt/],
  [
    "a prompt without the role",
    [draft("Databases", ["a"], { systemPrompt: "Use the tools." })],
    /a systemPrompt that does not name its role \('Databases'\)/,
  ],
  [
    "a prompt without the tools",
    [draft("Databases", ["a"], { systemPrompt: "You know databases." })],
    /a systemPrompt that does not say how to use the tools/,
  ],
];

for (const [defect, groups, problem] of cases) {
  Deno.test(`groupProblems() finds ${defect}`, () => {
    const found = groupProblems(groups, names, limits);
    assert.equal(found.some((each) => problem.test(each)), true, found.join("\n"));
  });
}
