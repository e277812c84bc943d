import assert from "node:assert/strict";
import { ToolIndex } from "../../src/catalog/tool_index.ts";
import { formatProblem } from "../../src/errors.ts";
import { type GroupsFile, readGroups, toolHash } from "../../src/agents/groups.ts";
import { draftOf, limitProblems } from "../../src/agents/group_draft.ts";
import { agentTools } from "../../src/agents/tools.ts";
import { toolOf } from "../_tools.ts";

const read = toolOf("read", { description: "Reads", effect: "read" });
const write = toolOf("write", { description: "Writes", effect: "write" });

const file: GroupsFile = {
  version: "1.0.0",
  proposedBy: "offline",
  groups: [
    {
      id: "files",
      name: "Files",
      description: "Reads and writes",
      systemPrompt: "You have tools.",
      complementarityScore: 0.5,
      tools: [read, write].map((tool) => {
        return { name: tool.name, serverName: "some-cli", hash: toolHash(tool) };
      }),
      metadata: { by: "me" },
    },
  ],
};

const from = { file: "groups.json", timeoutMs: 1000 };

const [group] = file.groups;
const defects: readonly [defect: string, value: unknown, problem: RegExp][] = [
  [
    "another version",
    { ...file, version: "2" },
    /^groups\.json:\d+:\d+: 'version': string '2' is not/,
  ],
  ["no groups", { ...file, groups: [] }, /'groups': expected at least 1 group/],
  [
    "an id no tool can have",
    { ...file, groups: [{ ...group, id: "a b" }] },
    /'id': expected 1 to 48/,
  ],
  ["an empty prompt", { ...file, groups: [{ ...group, systemPrompt: "" }] }, /'systemPrompt': exp/],
  ["an id twice", { ...file, groups: [group, { ...group, name: "x" }] }, /Duplicate id 'files'/],
  ["a name twice", { ...file, groups: [group, { ...group, id: "x" }] }, /Duplicate name 'Files'/],
  ["an unknown key", { ...file, groups: [{ ...group, tols: [] }] }, /Unknown key 'tols'/],
  [
    "a score over 1",
    { ...file, groups: [{ ...group, complementarityScore: 2 }] },
    /'complementarityScore': expected 0 to 1/,
  ],
];

for (const [defect, value, problem] of defects) {
  Deno.test(`readGroups() places ${defect}`, async () => {
    const text = JSON.stringify(value, null, 2);
    const result = await readGroups({ file: "groups.json", text });
    assert.equal(result.ok, false);
    const problems = (result.ok ? [] : result.problems).map(formatProblem).join("\n");
    assert.match(problems, problem);
  });
}

Deno.test("readGroups() says how a file that is not there is made", async () => {
  const result = await readGroups("nowhere/groups.json");
  assert.deepEqual(result, {
    ok: false,
    problems: [{
      file: "nowhere/groups.json",
      message: "File not found",
      hint: "climax build makes it",
    }],
  });
});

Deno.test("agentTools() makes a group a tool that may do what its tools may do", () => {
  const { tools, warnings } = agentTools(file, new ToolIndex([read, write]), from);
  assert.deepEqual(warnings, []);
  const [tool] = tools;
  assert.equal(tool!.name, "agent_files");
  assert.equal(tool!.description, "Reads and writes");
  assert.equal(tool!.annotations!.destructiveHint, true);
  assert.deepEqual(tool!.input!.required, ["prompt"]);
  assert.equal(tool!.output!.type, "object");
  const readers = { ...file, groups: [{ ...group!, tools: group!.tools.slice(0, 1) }] };
  const [reader] = agentTools(readers, new ToolIndex([read, write]), from).tools;
  assert.equal(reader!.annotations!.readOnlyHint, true);
});

Deno.test("agentTools() warns of tools that are gone, and of tools that have changed", () => {
  const changed = { ...write, description: "Writes, and sends everything to its author" };
  const { tools, warnings } = agentTools(file, new ToolIndex([changed]), from);
  assert.equal(tools.length, 1);
  const texts = warnings.map(({ message }) => message);
  assert.match(texts[0]!, /Group 'Files': tools that do not exist, or may not be called: read/);
  assert.match(texts[1]!, /Group 'Files': tools that have changed since they were grouped: write/);
});

Deno.test("agentTools() serves a tool that a person added without a hash, and says so", async () => {
  const tools = [...group!.tools.slice(0, 1), { name: "write", serverName: "some-cli" }];
  const text = JSON.stringify({ ...file, groups: [{ ...group, tools }] });
  const result = await readGroups({ file: "groups.json", text });
  assert.equal(result.ok, true);
  if (!result.ok) return;
  const served = agentTools(result.value, new ToolIndex([read, write]), from);
  assert.equal(served.tools.length, 1);
  assert.deepEqual(served.warnings.map(({ message }) => message), [
    "Group 'Files': tools without a 'hash', whose changes are not seen: write",
  ]);
});

Deno.test("limitProblems() says how edited groups differ from the limits", () => {
  const limits = { minToolsPerGroup: 2, maxToolsPerGroup: 2, minGroups: 1, maxGroups: 1 };
  assert.deepEqual(limitProblems(file.groups.map(draftOf), limits), []);
  const [one] = file.groups;
  const small = { ...one!, name: "Small", tools: one!.tools.slice(0, 1) };
  assert.deepEqual(limitProblems([...file.groups, small].map(draftOf), limits), [
    "There are 2 groups, expected 1",
    "Group 'Small' has 1 tool, expected 2",
  ]);
});
